import { isRecord } from '@slipway/contracts';
import { jsonEqual } from './json-equal.js';
import type { FlatSchema, SchemaReader } from './schema-reader.js';
import { type JsonType, listOf, namesOf, schemasOf, typesOf, within, type Words } from './schema-words.js';

const MAX_DEPTH = 8;

function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return isRecord(value) ? 'object' : (typeof value as JsonType);
}

/** True for a value of one of the types. */
export const isOfType = (value: unknown, types: readonly JsonType[]): boolean => {
  const type = typeOfValue(value);
  return types.includes(type) || (type === 'integer' && types.includes('number'));
};

function overlap(a: readonly JsonType[], b: readonly JsonType[]): readonly JsonType[] {
  const numeric = (types: readonly JsonType[]): readonly JsonType[] => (types.includes('number') ? [...types, 'integer'] : types);
  return numeric(a).filter((type) => numeric(b).includes(type));
}

/**
 * Proves that no value can satisfy both schemas: by their types, by listed values, or by a required property whose values are
 * disjoint.
 */
export class Disjointness {
  constructor(private readonly reader: SchemaReader) {}

  /** @returns false = not proven. */
  proved(a: unknown, b: unknown, at: string, depth = 0): boolean {
    if (depth > MAX_DEPTH) return false;
    return this.#flats(a, b, at, depth);
  }

  #flats(a: unknown, b: unknown, at: string, depth: number): boolean {
    const [flatA, flatB] = [this.reader.flatten(a, at), this.reader.flatten(b, at)];
    const [union] = flatA.unions;
    if (union) return this.#wordsApart(flatA, flatB, at, depth) || union.branches.every((each) => this.proved(each, b, at, depth + 1));
    const [other] = flatB.unions;
    if (other) return this.#wordsApart(flatA, flatB, at, depth) || other.branches.every((each) => this.proved(a, each, at, depth + 1));
    return this.#wordsApart(flatA, flatB, at, depth);
  }

  #wordsApart({ words: a }: FlatSchema, { words: b }: FlatSchema, at: string, depth: number): boolean {
    const [valuesA, valuesB] = [listOf(a, 'enum', at), listOf(b, 'enum', at)];
    // Without `type`, keywords do not exclude other types.
    const [typesA, typesB] = [typesOf({ type: a['type'] }), typesOf({ type: b['type'] })];
    if (valuesA && valuesB) return !valuesA.some((value) => valuesB.some((other) => jsonEqual(value, other)));
    if (valuesA) return !valuesA.some((value) => isOfType(value, typesB));
    if (valuesB) return !valuesB.some((value) => isOfType(value, typesA));
    const shared = overlap(typesA, typesB);
    if (shared.length === 0) return true;
    return shared.every((type) => type === 'object') && this.#propertiesApart(a, b, at, depth);
  }

  #propertiesApart(a: Words, b: Words, at: string, depth: number): boolean {
    const names = new Set([...namesOf(a, 'required', at), ...namesOf(b, 'required', at)]);
    const memberOf = (words: Words, name: string): unknown => {
      const properties = schemasOf(words, 'properties', at);
      return properties.has(name) ? properties.get(name) : (words['additionalProperties'] ?? true);
    };
    return [...names].some((name) => this.proved(memberOf(a, name), memberOf(b, name), within(at, 'properties', name), depth + 1));
  }
}
