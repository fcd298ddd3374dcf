/**
 * What docs/api.md ("JSON schemas on llama.cpp") says a grammar leaves out, read from the schema alone: independent of
 * the compiler, which must name the same places.
 */

import { isRecord } from '@slipway/contracts';

type Json = unknown;

/** Keywords whose members are names of the user's, with a schema each. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example', 'required']);
const NEVER_HELD = new Set(['not', 'contains', 'minContains', 'maxContains', 'if', 'then', 'else']);
const TYPES = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
const BOUNDS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
/** Looks behind, refers back, `\b` or `\p`, flags of a group, looks ahead within a choice, or for 100 characters and more. */
const UNHELD_PATTERN = /\(\?[a-z]+:|\(\?<[!=]|\\[1-9]|\\[bBpP]|\|\(\?!|\(\?=\.\{\d+,\d{3,}\}/;
const LISTED_VALUES_MAX = 6;

const listedValues = (items: Json): number => (isRecord(items) && Array.isArray(items['enum']) ? items['enum'].length : Infinity);

/** More than 15 digits. Such a bound of an integer is held: it is beyond all that the grammar writes, or automata compare it. */
const isLargeBound = (value: Json, type: Json): boolean => type !== 'integer' && typeof value === 'number' && Math.abs(value) >= 1e15;

function isLeftOut(word: string, schema: Record<string, Json>, resolve: (schema: Json) => Json): boolean {
  const value = schema[word];
  if (NEVER_HELD.has(word)) return true;
  if (word === 'type') return ![value].flat().every((type) => TYPES.has(String(type)));
  if (word === 'uniqueItems') return value === true && listedValues(resolve(schema['items'])) > LISTED_VALUES_MAX;
  if (word === 'pattern') return UNHELD_PATTERN.test(String(value));
  return BOUNDS.has(word) && isLargeBound(value, schema['type']);
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function resolverOf(root: Json): (schema: Json) => Json {
  return (schema) => {
    if (!isRecord(schema) || typeof schema['$ref'] !== 'string') return schema;
    const parts = schema['$ref'].split('/').slice(1);
    return parts.reduce<Json>((at, part) => (isRecord(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined), root);
  };
}

function* placesIn(schema: Json, at: string, resolve: (schema: Json) => Json): Generator<string> {
  if (Array.isArray(schema)) {
    for (const [i, item] of schema.entries()) yield* placesIn(item, `${at}/${i}`, resolve);
    return;
  }
  if (!isRecord(schema)) return;
  for (const [word, value] of Object.entries(schema)) {
    const place = `${at}/${escaped(word)}`;
    if (DATA.has(word)) continue;
    if (isLeftOut(word, schema, resolve)) yield place;
    else if (NAMED.has(word) && isRecord(value))
      for (const [name, inner] of Object.entries(value)) yield* placesIn(inner, `${place}/${escaped(name)}`, resolve);
    else yield* placesIn(value, place, resolve);
  }
}

/** JSON pointers of what a grammar of this schema leaves out, in the order of the schema. */
export const expectedLeftOut = (schema: Json): string[] => [...placesIn(schema, '', resolverOf(schema))];

/**
 * The schema without what is left out, for a validator of today's drafts: `nullable` of OpenAPI 3.0 and the boolean
 * bounds of draft 4 are said in their words.
 */
export function withoutLeftOut(schema: Json, resolve = resolverOf(schema), isNames = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => withoutLeftOut(item, resolve));
  if (!isRecord(schema)) return schema;
  if (isNames) return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, withoutLeftOut(inner, resolve)]));
  const kept = Object.entries(schema).flatMap(([word, value]): [string, Json][] => {
    if (DATA.has(word)) return [[word, value]];
    return isLeftOut(word, schema, resolve) ? [] : [[word, withoutLeftOut(value, resolve, NAMED.has(word))]];
  });
  return inTodaysWords(Object.fromEntries(kept));
}

function inTodaysWords({ nullable, ...schema }: Record<string, Json>): Json {
  for (const end of ['Minimum', 'Maximum']) {
    if (typeof schema[`exclusive${end}`] !== 'boolean') continue;
    if (schema[`exclusive${end}`] === true) {
      schema[`exclusive${end}`] = schema[end.toLowerCase()];
      delete schema[end.toLowerCase()];
    } else delete schema[`exclusive${end}`];
  }
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** The schema without the places that a grammar says it leaves out; a `oneOf` left out is read as `anyOf`. */
export function withoutPlaces(schema: Json, places: readonly string[]): Json {
  if (places.includes('/')) return true;
  const kept = structuredClone(schema);
  for (const place of places) {
    const steps = place.split('/').slice(1).map(unescaped);
    const word = steps.pop() ?? '';
    const holder = steps.reduce<Json>((at, step) => (isRecord(at) || Array.isArray(at) ? (at as Record<string, Json>)[step] : {}), kept);
    if (!isRecord(holder)) continue;
    const { [word]: value } = holder;
    Reflect.deleteProperty(holder, word);
    if (word === 'oneOf') Object.assign(holder, { anyOf: value });
  }
  return kept;
}

const unescaped = (step: string): string => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
