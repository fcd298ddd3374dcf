import type { CanonicalRequest } from '@slipway/contracts';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaEngine } from '../../../libs/engine-llama/src/llama-engine.js';
import { demoEngine } from '../demo-engine.js';
import { ask, run } from '../engine-run.js';
import { Random } from '../random.js';
import { randomSchema } from '../random-schema.js';

const ajv = new Ajv2020({ strict: false, ownProperties: true });
addFormats.default(ajv);
let engine: LlamaEngine;

beforeAll(async () => {
  engine = await demoEngine({ slots: 1 });
});
afterAll(() => engine?.unload());

const asking = (schema: Record<string, unknown>, seed: number): CanonicalRequest =>
  ask('Tell me about Paris as JSON.', { output: { kind: 'json_schema', schema }, sampling: { temperature: 1, seed }, max_tokens: 300 });

/** Answers that came to an end by themselves. */
async function answersTo(schema: Record<string, unknown>, seeds: readonly number[]): Promise<string[]> {
  const answers: string[] = [];
  for (const seed of seeds) {
    const { fin, text } = await run(engine, asking(schema, seed));
    if (fin?.r === 'stop') answers.push(text);
  }
  return answers;
}

describe('what the demo model writes', () => {
  it.each<[string, Record<string, unknown>]>([
    [
      'an object of several kinds',
      {
        type: 'object',
        properties: {
          city: { type: 'string', maxLength: 12 },
          size: { type: 'integer', minimum: 0, maximum: 20_000_000 },
          capital: { type: 'boolean' },
        },
        required: ['city', 'size', 'capital'],
      },
    ],
    [
      'choices and formats',
      {
        type: 'object',
        properties: { day: { type: 'string', format: 'date' }, mood: { enum: ['good', 'bad', null] } },
        required: ['day', 'mood'],
      },
    ],
    ['bounded lists', { type: 'array', items: { type: 'number', exclusiveMinimum: -1, maximum: 1.5 }, minItems: 2, maxItems: 4 }],
    [
      'a discriminated choice',
      {
        oneOf: ['a', 'b'].map((kind) => ({
          type: 'object',
          properties: { kind: { const: kind }, id: { type: 'string', pattern: `^${kind}-[0-9]{2}$` } },
          required: ['kind', 'id'],
        })),
      },
    ],
  ])('follows the schema: %s', async (_, schema) => {
    const isValid = ajv.compile(schema);
    const answers = await answersTo(schema, [1, 2, 3, 4, 5, 6]);
    expect(answers.length).toBeGreaterThanOrEqual(4);
    for (const answer of answers) expect(isValid(JSON.parse(answer)), `${answer}: ${JSON.stringify(isValid.errors)}`).toBe(true);
  });

  it('follows 40 random schemas', async () => {
    let ended = 0;
    for (let seed = 9_000; seed < 9_040; seed += 1) {
      const { schema } = randomSchema(new Random(seed));
      const isValid = ajv.compile(schema);
      for (const answer of await answersTo(schema, [seed])) {
        ended += 1;
        expect(isValid(JSON.parse(answer)), `seed ${seed}: ${answer}: ${JSON.stringify(isValid.errors)}`).toBe(true);
      }
    }
    expect(ended).toBeGreaterThan(15);
  });
});
