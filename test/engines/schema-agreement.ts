import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { GbnfReader } from '../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { GrammarWalk } from '../../libs/engine-llama/src/grammar/grammar-walk.js';
import { jsonSchemaRules } from '../../libs/engine-llama/src/grammar/json-schema-grammar.js';
import { GrammarSampler } from './grammar-sampler.js';
import { Random } from './random.js';
import { randomSchema } from './random-schema.js';

const ajv = new Ajv2020({ strict: false, ownProperties: true });
addFormats.default(ajv);

/** Schemas that one test tries. */
const BATCH = 50;

/** The first seeds of the batches that `count` schemas make, from seed `first` on. */
export const batches = (first: number, count: number): number[] => Array.from({ length: count / BATCH }, (_, i) => first + i * BATCH);

/** Tries a batch of random schemas and the grammars made of them. */
export function expectBatchToAgree(first: number): void {
  for (let seed = first; seed < first + BATCH; seed += 1) expectToAgree(seed);
}

/** What a schema or its grammar allows, the other must allow too. */
function expectToAgree(seed: number): void {
  const random = new Random(seed);
  const { schema, sample } = randomSchema(random);
  const about = `seed ${seed}: ${JSON.stringify(schema)}`;
  const isValid = ajv.compile(schema);
  const rules = new GbnfReader(jsonSchemaRules(schema, '').rules).read();
  const sampler = new GrammarSampler(rules, random);
  const walk = new GrammarWalk(rules, 'root');
  for (let i = 0; i < 5; i += 1) {
    const written = sampler.sample('root', 200 * i);
    expect(isValid(JSON.parse(written)), `${about}\nthe grammar writes ${written}\n${JSON.stringify(isValid.errors)}`).toBe(true);
    expect(walk.accepts(written), `${about}\nthe walk refuses what the grammar writes: ${written}`).toBe(true);
    const value = sample(random, i);
    expect(isValid(value), `${about}\nthe sample ${JSON.stringify(value)} is wrong`).toBe(true);
    expect(walk.accepts(JSON.stringify(value)), `${about}\nthe grammar refuses ${JSON.stringify(value)}`).toBe(true);
  }
}
