import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../apps/inference-worker/src/engines/llama/grammar/gbnf-reader.js';
import { jsonSchemaRules } from '../../apps/inference-worker/src/engines/llama/grammar/json-schema-grammar.js';
import { GrammarSampler } from '../engines/grammar-sampler.js';
import { Random } from '../engines/random.js';
import { expectedLeftOut, withoutLeftOut } from './left-out-table.js';

const CORPUS = new URL('corpus/', import.meta.url);
const SENTENCES = 4;
const FORMATS = ['date', 'time', 'date-time', 'uuid', 'email', 'ipv4'] as const;

type Schema = Record<string, unknown>;
interface Recorded {
  readonly madeBy: Record<string, string>;
  readonly schemas: Record<string, Schema>;
}

const FILES = readdirSync(CORPUS).map((file): [string, Recorded] => [
  file,
  JSON.parse(readFileSync(new URL(file, CORPUS), 'utf8')) as Recorded,
]);

/** Why a schema of the corpus is 400: typebox has types that JSON lacks, and two closed objects have no member in common. */
const REFUSED: readonly [name: RegExp, reason: RegExp][] = [
  [/(RegExp|Uint8Array|Date|BigInt|Undefined|Void)$/, /must be one of null, boolean/],
  [/intersection of a union$/, /No value can satisfy/],
];

const reasonToRefuse = (name: string): RegExp | null => REFUSED.find(([names]) => names.test(name))?.[1] ?? null;

/** ajv for the draft whose words the schema uses. It names no draft, so that drafts 4 and 6 are read as well. */
function validatorOf(schema: Schema): { isValid: (value: unknown) => boolean; errors: () => unknown } {
  const { $schema: _, ...rest } = withoutLeftOut(schema) as Schema;
  const options = {
    strict: false,
    multipleOfPrecision: 9,
    ownProperties: true,
    logger: false,
    unicodeRegExp: false,
    validateSchema: false,
  } as const;
  const ajv = JSON.stringify(rest).includes('"items":[') ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv, [...FORMATS]);
  const compiled = ajv.compile(rest);
  return { isValid: (value) => compiled(value), errors: () => compiled.errors };
}

function expectHeld(file: string, name: string, schema: Schema): void {
  const about = `${file}, ${name}: ${JSON.stringify(schema)}`;
  const made = jsonSchemaRules(schema, '');
  expect(made.leftOut.toSorted(), about).toEqual(expectedLeftOut(schema).toSorted());
  const rules = new GbnfReader(made.rules).read();
  const { isValid, errors } = validatorOf(schema);
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
