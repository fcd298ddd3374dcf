import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../apps/inference-worker/src/engines/llama/grammar/gbnf-reader.js';
import { jsonSchemaRules } from '../../apps/inference-worker/src/engines/llama/grammar/json-schema-grammar.js';
import { GrammarSampler } from '../engines/grammar-sampler.js';
import { Random } from '../engines/random.js';
import { expectedLeftOut, withoutLeftOut } from './left-out-table.js';
import { FILES, reasonToRefuse, type Schema, validatorOf } from './recorded-schemas.js';

const SENTENCES = 4;

function expectHeld(file: string, name: string, schema: Schema): void {
  const about = `${file}, ${name}: ${JSON.stringify(schema)}`;
  const made = jsonSchemaRules(schema, '');
  expect(made.leftOut.toSorted(), about).toEqual(expectedLeftOut(schema).toSorted());
  const rules = new GbnfReader(made.rules).read();
  const { isValid, errors } = validatorOf(withoutLeftOut(schema) as Schema);
  for (let seed = 1; seed <= SENTENCES; seed += 1) {
    const written = new GrammarSampler(rules, new Random(seed)).sample('root', seed * 15);
    expect(isValid(JSON.parse(written)), `${about}\nthe grammar writes ${written}\n${JSON.stringify(errors())}`).toBe(true);
  }
}

describe('schemas that pydantic, msgspec, zod, valibot, typebox, the AI SDK and the SDKs of OpenAI wrote', () => {
  it.each(FILES)('%s: each is held but for what the table of the docs leaves out', (file, { schemas }) => {
    for (const [name, schema] of Object.entries(schemas)) {
      const reason = reasonToRefuse(name);
      if (reason && isRefused(schema, reason)) continue;
      expectHeld(file, name, schema);
    }
  });

  it('refuses none but types that JSON lacks and what nothing can satisfy', () => {
    const refused = FILES.flatMap(([file, { schemas }]) =>
      Object.entries(schemas).flatMap(([name, schema]) => (isRefused(schema, /./) ? [`${file}: ${name}`] : [])),
    );
    expect(refused).toEqual([
      'ai-sdk.json: zod 3: intersection of a union',
      ...['RegExp', 'Uint8Array', 'Date', 'BigInt', 'Undefined', 'Void', '1: BigInt', '1: Undefined', '1: Void'].map(
        (name) => `typebox.json: ${name}`,
      ),
      'zod3.json: intersection of a union',
      'zod3.json: OpenAPI: intersection of a union',
    ]);
  });
});

function isRefused(schema: Schema, reason: RegExp): boolean {
  try {
    jsonSchemaRules(schema, '');
    return false;
  } catch (error) {
    expect((error as Error).message).toMatch(reason);
    return true;
  }
}
