import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const CORPUS = new URL('corpus/', import.meta.url);
const FORMATS = ['date', 'time', 'date-time', 'uuid', 'email', 'ipv4'] as const;

/** A JSON schema. */
export type Schema = Record<string, unknown>;
interface Recorded {
  readonly madeBy: Record<string, string>;
  readonly schemas: Record<string, Schema>;
}

/** The recorded schemas, by file. */
export const FILES = readdirSync(CORPUS).map((file): [string, Recorded] => [
  file,
  JSON.parse(readFileSync(new URL(file, CORPUS), 'utf8')) as Recorded,
]);

/** The schemas that are 400, and why: two closed objects have no member in common. */
export const REFUSED: ReadonlyMap<string, RegExp> = new Map([
  ...['ai-sdk.json: zod 3: ', 'zod3.json: ', 'zod3.json: OpenAPI: '].map(
    (place) => [`${place}intersection of a union`, /No value can satisfy/] as const,
  ),
]);

/** Of Python's and Rust's spelling what the corpus has. */
function regExpOf(pattern: string): RegExp {
  const [, flags = '', source = ''] = /^(?:\(\?(i)\))?([^]*)$/.exec(pattern) ?? [];
  return new RegExp(source.replaceAll('(?P<', '(?<').replace(/^\\A/, '^').replace(/\\z$/, '$'), flags);
}

/** ajv for the draft whose words the schema uses. It names no draft, so that drafts 4 and 6 are read as well. */
export function validatorOf(schema: Schema): { isValid: (value: unknown) => boolean; errors: () => unknown } {
  const { $schema: _, ...rest } = schema;
  const options = {
    strict: false,
    multipleOfPrecision: 9,
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(regExpOf, { code: '' }) },
    validateSchema: false,
  } as const;
  const ajv = JSON.stringify(rest).includes('"items":[') ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv, [...FORMATS]);
  const compiled = ajv.compile(rest);
  return { isValid: (value) => compiled(value), errors: () => compiled.errors };
}
