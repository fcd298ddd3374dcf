import { ServiceError } from '@slipway/contracts';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';
const JSON_TYPES: readonly JsonType[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** The keywords of one schema object, `$ref`, `allOf`, `anyOf` and `oneOf` taken out. */
export type Words = Readonly<Record<string, unknown>>;

/** Keywords that say nothing about values, or hold schemas that others refer to. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', '$defs', 'definitions', '$anchor', '$vocabulary'],
  ...['title', 'description', 'default', 'example', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema'],
]);

/** Keywords by the type that they speak about. */
const WORDS_OF: ReadonlyMap<JsonType, readonly string[]> = new Map([
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
]);

const SUPPORTED: ReadonlySet<string> = new Set([
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'enum', 'const', 'nullable'],
  ...[...WORDS_OF.values()].flat(),
]);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const unsupportedSchema = (message: string): ServiceError => new ServiceError('unsupported_value', message);
export const invalidSchema = (message: string): ServiceError => new ServiceError('invalid_value', message);

/** A place inside of a schema, as a JSON pointer for messages. */
export const within = (at: string, ...steps: (string | number)[]): string =>
  steps.reduce<string>((path, step) => `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`, at).slice(0, 300);

/** What a schema object asserts, annotations and words without effect taken out. */
export function assertions(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(schema)) {
    const idle = ANNOTATIONS.has(word) || word.startsWith('x-') || value === undefined || (word === 'uniqueItems' && value === false);
    if (idle) continue;
    if (!SUPPORTED.has(word)) throw unsupportedSchema(`The schema keyword "${word.slice(0, 60)}" (at ${at}) is not supported.`);
    result[word] = value;
  }
  return result;
}

/** The types that a schema allows. Where it names none, they follow from the keywords that it uses; none at all = any. */
export function typesOf(words: Words, at: string): readonly JsonType[] {
  const named = words['type'];
  if (named === undefined) {
    const implied = [...WORDS_OF].filter(([, keywords]) => keywords.some((word) => word in words)).map(([type]) => type);
    return implied.length > 0 ? implied : JSON_TYPES;
  }
  const list: unknown[] = Array.isArray(named) ? named : [named];
  for (const type of list) {
    if (!JSON_TYPES.includes(type as JsonType))
      throw invalidSchema(`The schema's "type" at ${at} must be one of ${JSON_TYPES.join(', ')}.`);
  }
  const types = list as JsonType[];
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}

export const saysNothing = (words: Words): boolean => Object.keys(words).length === 0;

/** A count such as `minLength`. @throws ServiceError when it is no count. */
export function countOf(words: Words, word: string, at: string): number | undefined {
  const value = words[word];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be a whole number from 0 on.`);
}

export function numberOf(words: Words, word: string, at: string): number | undefined {
  const value = words[word];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be a number.`);
}

export function textOf(words: Words, word: string, at: string): string | undefined {
  const value = words[word];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be a string.`);
}

export function listOf(words: Words, word: string, at: string): readonly unknown[] | undefined {
  const value = words[word];
  if (value === undefined || Array.isArray(value)) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be an array.`);
}

export function namesOf(words: Words, word: string, at: string): readonly string[] {
  const value = listOf(words, word, at) ?? [];
  if (value.every((name) => typeof name === 'string')) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be an array of strings.`);
}

/** Schemas by name, in the order in which they stand. */
export function schemasOf(words: Words, word: string, at: string): ReadonlyMap<string, unknown> {
  const value = words[word];
  if (value === undefined) return new Map();
  if (isRecord(value)) return new Map(Object.entries(value));
  throw invalidSchema(`The schema's "${word}" at ${at} must be an object.`);
}
