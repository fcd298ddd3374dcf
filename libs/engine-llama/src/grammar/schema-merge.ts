import { jsonEqual } from './json-equal.js';
import { type JsonType, listOf, Merged, namesOf, numberOf, schemasOf, typesOf, type Words } from './schema-words.js';

const both = (a: unknown, b: unknown): unknown => {
  if (a === undefined || a === true) return b;
  if (b === undefined || b === true || jsonEqual(a, b)) return a;
  return a === false || b === false ? false : { allOf: [a, b] };
};

function sharedTypes(a: Words, b: Words): readonly JsonType[] {
  const [ofA, ofB] = [typesOf({ type: a['type'] }), typesOf({ type: b['type'] })];
  const shared = ofA.filter((type) => ofB.includes(type));
  const whole = (list: readonly JsonType[]): boolean => list.includes('integer');
  const integers = (whole(ofA) && ofB.includes('number')) || (whole(ofB) && ofA.includes('number'));
  return integers ? [...shared, 'integer'] : shared;
}

function sharedProperties(a: Words, b: Words, at: string): Record<string, unknown> {
  const [ofA, ofB] = [schemasOf(a, 'properties', at), schemasOf(b, 'properties', at)];
  const names = new Set([...ofA.keys(), ...ofB.keys()]);
  // Patterns of the other schema are applied to names when the object is compiled.
  const others = (words: Words): unknown => ('patternProperties' in words ? undefined : words['additionalProperties']);
  const pick = (of: ReadonlyMap<string, unknown>, words: Words, name: string): unknown => (of.has(name) ? of.get(name) : others(words));
  return Object.fromEntries(Array.from(names, (name) => [name, both(pick(ofA, a, name), pick(ofB, b, name)) ?? true]));
}

function sharedPatterns(a: Words, b: Words, at: string): Record<string, unknown> {
  const [ofA, ofB] = [schemasOf(a, 'patternProperties', at), schemasOf(b, 'patternProperties', at)];
  const pick = (of: ReadonlyMap<string, unknown>, words: Words, name: string): unknown =>
    of.has(name) ? of.get(name) : words['additionalProperties'];
  const names = new Set([...ofA.keys(), ...ofB.keys()]);
  return Object.fromEntries(Array.from(names, (name) => [name, both(pick(ofA, a, name), pick(ofB, b, name)) ?? true]));
}

/** The items by position, and the rest. */
function sharedItems(a: Words, b: Words, at: string): Record<string, unknown> {
  const [placesA, placesB] = [listOf(a, 'prefixItems', at) ?? [], listOf(b, 'prefixItems', at) ?? []];
  const count = Math.max(placesA.length, placesB.length);
  const pick = (places: readonly unknown[], words: Words, i: number): unknown => (i < places.length ? places[i] : words['items']);
  const places = Array.from({ length: count }, (_, i) => both(pick(placesA, a, i), pick(placesB, b, i)) ?? true);
  const items = both(a['items'], b['items']);
  return { ...(count > 0 && { prefixItems: places }), ...(items !== undefined && { items }) };
}

const HIGHEST: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const LOWEST: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const ITEMS = ['items', 'prefixItems'];

/** Values that must all hold. */
function together(a: unknown, b: unknown): unknown {
  const list = [a, b].flatMap((value) => (value instanceof Merged ? [...value.values] : [value]));
  const distinct = list.filter((value, i) => list.findIndex((other) => jsonEqual(value, other)) === i);
  return distinct.length === 1 ? distinct[0] : new Merged(distinct);
}

function mergeWord(word: string, a: Words, b: Words, at: string): unknown {
  if (HIGHEST.has(word)) return Math.max(numberOf(a, word, at) ?? 0, numberOf(b, word, at) ?? 0);
  if (LOWEST.has(word)) return Math.min(numberOf(a, word, at) ?? 0, numberOf(b, word, at) ?? 0);
  switch (word) {
    case 'type':
      return sharedTypes(a, b);
    case 'enum':
      return listOf(a, word, at)?.filter((value) => listOf(b, word, at)?.some((other) => jsonEqual(value, other)));
    case 'required':
      return [...new Set([...namesOf(a, word, at), ...namesOf(b, word, at)])];
    case 'patternProperties':
      return sharedPatterns(a, b, at);
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
    case 'propertyNames':
      return both(a[word], b[word]);
    default:
      // `pattern`, `format` and `multipleOf`.
      return together(a[word], b[word]);
  }
}

/** Conjunction of both schemas. */
export function mergeWords(a: Words, b: Words, at: string): Words {
  const merged: Record<string, unknown> = { ...a };
  for (const [word, value] of Object.entries(b)) {
    if (word === 'properties' || ITEMS.includes(word)) continue;
    merged[word] = word in a ? mergeWord(word, a, b, at) : value;
  }
  if ('properties' in a || 'properties' in b) merged['properties'] = sharedProperties(a, b, at);
  if (ITEMS.some((word) => word in b)) Object.assign(merged, sharedItems(a, b, at));
  return merged;
}
