import { jsonEqual } from './json-equal.js';
import { type JsonType, listOf, namesOf, numberOf, schemasOf, typesOf, unsupportedSchema, type Words } from './schema-words.js';

const both = (a: unknown, b: unknown): unknown => {
  if (a === undefined || a === true) return b;
  if (b === undefined || b === true || jsonEqual(a, b)) return a;
  return a === false || b === false ? false : { allOf: [a, b] };
};

function sharedTypes(a: Words, b: Words, at: string): readonly JsonType[] {
  const [ofA, ofB] = [typesOf({ type: a['type'] }, at), typesOf({ type: b['type'] }, at)];
  const shared = ofA.filter((type) => ofB.includes(type));
  const whole = (list: readonly JsonType[]): boolean => list.includes('integer');
  const integers = (whole(ofA) && ofB.includes('number')) || (whole(ofB) && ofA.includes('number'));
  return integers ? [...shared, 'integer'] : shared;
}

function sharedProperties(a: Words, b: Words, at: string): Record<string, unknown> {
  const [ofA, ofB] = [schemasOf(a, 'properties', at), schemasOf(b, 'properties', at)];
  const names = new Set([...ofA.keys(), ...ofB.keys()]);
  const others = (words: Words): unknown => words['additionalProperties'];
  const pick = (of: ReadonlyMap<string, unknown>, words: Words, name: string): unknown => (of.has(name) ? of.get(name) : others(words));
  return Object.fromEntries(Array.from(names, (name) => [name, both(pick(ofA, a, name), pick(ofB, b, name)) ?? true]));
}

function sharedItems(a: Words, b: Words, at: string): unknown {
  if (('prefixItems' in a || 'prefixItems' in b) && !jsonEqual(a, b)) {
    throw unsupportedSchema(`Two schemas with "items" or "prefixItems" cannot be combined (at ${at}).`);
  }
  return both(a['items'], b['items']);
}

const HIGHEST: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems']);
const LOWEST: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']);

function mergeWord(word: string, a: Words, b: Words, at: string): unknown {
  if (HIGHEST.has(word)) return Math.max(numberOf(a, word, at) ?? 0, numberOf(b, word, at) ?? 0);
  if (LOWEST.has(word)) return Math.min(numberOf(a, word, at) ?? 0, numberOf(b, word, at) ?? 0);
  switch (word) {
    case 'type':
      return sharedTypes(a, b, at);
    case 'enum':
      return listOf(a, word, at)?.filter((value) => listOf(b, word, at)?.some((other) => jsonEqual(value, other)));
    case 'required':
      return [...new Set([...namesOf(a, word, at), ...namesOf(b, word, at)])];
    case 'additionalProperties':
      return both(a[word], b[word]);
    case 'items':
      return sharedItems(a, b, at);
    default:
      if (jsonEqual(a[word], b[word])) return a[word];
      throw unsupportedSchema(`Two different values of the schema keyword "${word}" cannot be combined (at ${at}).`);
  }
}

/** What holds when both hold. @throws ServiceError for keywords whose combination no single schema says. */
export function mergeWords(a: Words, b: Words, at: string): Words {
  const merged: Record<string, unknown> = { ...a };
  const { properties: _, ...others } = b;
  for (const [word, value] of Object.entries(others)) merged[word] = word in a ? mergeWord(word, a, b, at) : value;
  if ('properties' in a || 'properties' in b) merged['properties'] = sharedProperties(a, b, at);
  if ('items' in merged && 'prefixItems' in a !== 'prefixItems' in b) sharedItems(a, b, at);
  return merged;
}
