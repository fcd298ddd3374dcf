import { z } from 'zod';
import { noted } from '../shared/faults.js';
import { keyword, MAX_INT32, modelName } from '../shared/fields.js';

/** Most texts of one request. */
const TEXTS_MAX = 2_048;

const text = noted(z.string().min(1), { code: 'invalid_value', absent: 'undefined', expected: 'a text of at least one character' });

/** The body of a request for embeddings. Other fields are ignored. */
export const EmbeddingsBody = z
  .object({
    model: modelName.meta({ description: 'The deployment of the URL: its slug, its alias, or `account/alias`.' }),
    encoding_format: keyword(['float', 'base64'])
      .nullish()
      .meta({ description: '`base64` = little-endian 32-bit floats. Default `float`.' }),
    dimensions: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .nullish()
      .meta({ description: 'Numbers of each vector. Fewer than the model’s own only where the deployment declares it (Matryoshka).' }),
    input: z
      .union([text, z.array(text).min(1).max(TEXTS_MAX)])
      .meta({ description: 'One text, or several: together about 300,000 tokens, each at most the context of the model.' }),
  })
  .meta({ id: 'EmbeddingsRequest' });
