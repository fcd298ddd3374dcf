import { bodySchemas } from '../../openapi/body-schemas.js';
import { count, type JsonSchema, list, object, ref, type SurfaceDescription, text, word } from '../../openapi/description.js';
import { EmbeddingsBody } from './schema.js';

const vector: JsonSchema = {
  anyOf: [
    { type: 'array', items: { type: 'number' }, minItems: 1 },
    { type: 'string', contentEncoding: 'base64', description: 'Little-endian 32-bit floats.' },
  ],
  description: 'Of length 1 (L2).',
};

/** The embeddings contract, for the OpenAPI document. Its errors and models are those of chat completions. */
export const embeddingsOpenApi: SurfaceDescription = {
  name: 'embeddings',
  description: 'The embeddings contract, for deployments that make embeddings. Base URL of its clients: the deployment, with `/v1`.',
  schemas: {
    ...bodySchemas(EmbeddingsBody),
    Embeddings: object({
      object: word('list'),
      data: list(object({ object: word('embedding'), index: count('Of the text.'), embedding: vector }), { minItems: 1 }),
      model: text('Slug of the deployment.'),
      usage: object({ prompt_tokens: count('Of all texts.'), total_tokens: count() }),
    }),
    EmbeddingsError: ref('ChatError'),
  },
  endpoints: [
    {
      path: '/v1/embeddings',
      id: 'createEmbeddings',
      summary: 'Makes vectors of texts',
      description: 'One vector for each text, in their order. A text that is longer than the context of the model is refused, never cut.',
      request: 'EmbeddingsRequest',
      response: 'Embeddings',
    },
  ],
  error: 'EmbeddingsError',
  model: 'ChatModel',
  models: 'ChatModelList',
};
