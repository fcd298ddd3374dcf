import { isRecord, ServiceError } from '@slipway/contracts';
import type { LeftOut } from './left-out.js';
import { FORMAT_NAMES } from './string-format.js';

/** A type of JSON schema. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';
const JSON_TYPES: readonly JsonType[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** The keywords of one schema object without `$ref`, `allOf`, `anyOf` and `oneOf`. */
export type Words = Readonly<Record<string, unknown>>;

/** Keywords by the type that they apply to. */
const WORDS_OF: ReadonlyMap<JsonType, readonly string[]> = new Map([
  [
    'object',
    [
      ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties', 'maxProperties'],
      ...['dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'],
    ],
  ],
  ['array', ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]);

/** Keywords that a grammar enforces, at least in their usual forms. */
const HELD: ReadonlySet<string> = new Set([
  ...['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'type', 'enum', 'const', 'nullable'],
  ...[...WORDS_OF.values()].flat(),
]);

/** Assertions that no grammar enforces. All other keywords are annotations. */
const NEVER_HELD: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'minContains', 'maxContains']);

/** The error for a schema that cannot be enforced. */
export const unsupportedSchema = (message: string): ServiceError => new ServiceError('unsupported_value', message);
/** The error for an invalid schema. */
export const invalidSchema = (message: string): ServiceError => new ServiceError('invalid_value', message);

/** A place in a schema, as a JSON pointer for messages. */
export const within = (at: string, ...steps: (string | number)[]): string =>
  steps.reduce<string>((path, step) => `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`, at).slice(0, 300);

/** The assertions of a schema object that the grammar enforces, without annotations and unknown keywords. */
export function assertions(schema: Record<string, unknown>, at: string, leftOut: LeftOut): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(schema)) {
    if (value === undefined || saysNothingNew(word, value, schema)) continue;
    if (word === 'type' && !areTypes(value, at)) leftOut.add(at, word);
    else if (HELD.has(word)) result[word] = value;
    else if (NEVER_HELD.has(word)) leaveOut(schema, word, at, leftOut);
  }
  return result;
}

/** Removes keywords that are null, as some generators write unused ones, and names them as left out. */
export function withoutNulls(schema: Record<string, unknown>, at: string, leftOut: LeftOut): Record<string, unknown> {
  const isUnused = ([word, value]: [string, unknown]): boolean =>
    value === null && word !== 'const' && (HELD.has(word) || NEVER_HELD.has(word));
  const unused = Object.entries(schema).filter(isUnused);
  for (const [word] of unused) leftOut.add(at, word);
  return unused.length === 0 ? schema : Object.fromEntries(Object.entries(schema).filter((entry) => !isUnused(entry)));
}

/** Whether a keyword has a form without effect. */
function saysNothingNew(word: string, value: unknown, schema: Record<string, unknown>): boolean {
  switch (word) {
    case 'uniqueItems':
    case 'not':
      return value === false;
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return value === true;
    case 'if':
      return !('then' in schema || 'else' in schema);
    case 'minContains':
    case 'maxContains':
      return !('contains' in schema);
    case 'format':
      return typeof value === 'string' && !FORMAT_NAMES.includes(value);
    default:
      return false;
  }
}

/** Whether JSON has all of these types: libraries also write types of their language. @throws ServiceError for an invalid name */
function areTypes(named: unknown, at: string): boolean {
  const list: unknown[] = Array.isArray(named) ? named : [named];
  if (!list.every((type) => typeof type === 'string'))
    throw invalidSchema(`The schema's "type" at ${at} must be one of ${JSON_TYPES.join(', ')}.`);
  return list.every((type) => JSON_TYPES.includes(type as JsonType));
}

function leaveOut(schema: Record<string, unknown>, word: string, at: string, leftOut: LeftOut): void {
  const value = schema[word];
  if (word.endsWith('Contains')) countOf(schema, word, at);
  else if (typeof value !== 'boolean' && !isRecord(value))
    throw invalidSchema(`The schema's "${word}" at ${at} must be a schema: an object or a boolean.`);
  leftOut.add(at, word);
}

/** The types that a schema allows: the named ones, else those of its keywords, else any. */
export function typesOf(words: Words): readonly JsonType[] {
  const named = words['type'];
  if (named === undefined) {
    const implied = [...WORDS_OF].filter(([, keywords]) => keywords.some((word) => word in words)).map(([type]) => type);
    return implied.length > 0 ? implied : JSON_TYPES;
  }
  const types = (Array.isArray(named) ? named : [named]) as JsonType[];
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}

/** Translates `unevaluated…` to `additionalProperties` and `items`, for a schema without siblings. */
export function withoutUnevaluated(words: Words): Words {
  const { unevaluatedProperties, unevaluatedItems, ...rest } = words;
  return {
    ...rest,
    ...(unevaluatedProperties !== undefined && !('additionalProperties' in rest) && { additionalProperties: unevaluatedProperties }),
    ...(unevaluatedItems !== undefined && !('items' in rest) && { items: unevaluatedItems }),
  };
}

/** Whether a schema has no keywords. */
export const saysNothing = (words: Words): boolean => Object.keys(words).length === 0;

/** A count such as `minLength`. @throws ServiceError for an invalid count. */
export function countOf(words: Words, word: string, at: string): number | undefined {
  const value = words[word];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be a whole number from 0 on.`);
}

/** A numeric keyword. @throws ServiceError when it is not a number. */
export function numberOf(words: Words, word: string, at: string): number | undefined {
  const value = words[word];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be a number.`);
}

/** A text keyword. @throws ServiceError when it is not a string. */
export function textOf(words: Words, word: string, at: string): string | undefined {
  const value = words[word];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be a string.`);
}

/** A list keyword. @throws ServiceError when it is not an array. */
export function listOf(words: Words, word: string, at: string): readonly unknown[] | undefined {
  const value = words[word];
  if (value === undefined || Array.isArray(value)) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be an array.`);
}

/** A list of names. @throws ServiceError when it is not an array of strings. */
export function namesOf(words: Words, word: string, at: string): readonly string[] {
  const value = listOf(words, word, at) ?? [];
  if (value.every((name) => typeof name === 'string')) return value;
  throw invalidSchema(`The schema's "${word}" at ${at} must be an array of strings.`);
}

/** Schemas by name, in order. */
export function schemasOf(words: Words, word: string, at: string): ReadonlyMap<string, unknown> {
  const value = words[word];
  if (value === undefined) return new Map();
  if (isRecord(value)) return new Map(Object.entries(value));
  throw invalidSchema(`The schema's "${word}" at ${at} must be an object.`);
}

/** The texts of a keyword, possibly merged from several schemas. @throws ServiceError when one is not a string. */
export function textsOf(words: Words, word: string, at: string): readonly string[] {
  const value = words[word];
  if (value === undefined) return [];
  const list: unknown[] = value instanceof Merged ? [...value.values] : [value];
  return list.map((each) => textOf({ [word]: each }, word, at) ?? '');
}

/** Values of one keyword that must all hold and cannot be merged into one value. */
export class Merged {
  constructor(readonly values: readonly unknown[]) {}
}
