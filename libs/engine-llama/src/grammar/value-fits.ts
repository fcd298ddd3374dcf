import { isRecord } from '@slipway/contracts';
import { jsonEqual } from './json-equal.js';
import { isWithin, limitsOf } from './number-range.js';
import { regExpOf } from './regex-dialects.js';
import { isOfType } from './schema-disjoint.js';
import type { SchemaReader } from './schema-reader.js';
import { countOf, listOf, Merged, namesOf, schemasOf, textsOf, typesOf, within, type Words } from './schema-words.js';

const MAX_DEPTH = 30;

/** Checks which known values a schema allows, ignoring assertions that no grammar enforces. */
export class ValueFits {
  constructor(private readonly reader: SchemaReader) {}

  fits(value: unknown, schema: unknown, at: string, depth = 0): boolean {
    if (depth > MAX_DEPTH) return true;
    const { words, unions } = this.reader.flatten(schema, at);
    if (!this.fitsWords(value, words, at, depth)) return false;
    return unions.every(({ branches, at: place }) => branches.some((branch, i) => this.fits(value, branch, within(place, i), depth + 1)));
  }

  fitsWords(value: unknown, words: Words, at: string, depth = 0): boolean {
    if (!isOfType(value, typesOf({ type: words['type'] }))) return false;
    if (words['enum'] !== undefined && !(listOf(words, 'enum', at) ?? []).some((each) => jsonEqual(each, value))) return false;
    if (typeof value === 'number') return this.#number(value, words, at);
    if (typeof value === 'string') return this.#text(value, words, at);
    if (Array.isArray(value)) return this.#array(value, words, at, depth);
    return !isRecord(value) || this.#object(value, words, at, depth);
  }

  /** Whether a regular expression matches somewhere in a text; true for an unsupported one. */
  matches(text: string, pattern: string): boolean {
    return regExpOf(pattern)?.test(text) ?? true;
  }

  #number(value: number, words: Words, at: string): boolean {
    const limits = limitsOf(words, at);
    const divisor = words['multipleOf'];
    const divisors: unknown[] = divisor instanceof Merged ? [...divisor.values] : [divisor];
    const isMultiple = (by: unknown): boolean => typeof by !== 'number' || Math.abs(value / by - Math.round(value / by)) < 1e-9;
    return (!limits || isWithin(value, limits)) && divisors.every(isMultiple);
  }

  #text(value: string, words: Words, at: string): boolean {
    return (
      hasCount(Array.from(value).length, words, ['minLength', 'maxLength'], at) &&
      textsOf(words, 'pattern', at).every((pattern) => this.matches(value, pattern))
    );
  }

  #array(value: readonly unknown[], words: Words, at: string, depth: number): boolean {
    const places = listOf(words, 'prefixItems', at) ?? [];
    const fits = (item: unknown, i: number): boolean =>
      this.fits(item, i < places.length ? places[i] : (words['items'] ?? true), at, depth + 1);
    const isDistinct = words['uniqueItems'] !== true || value.every((item, i) => value.findIndex((other) => jsonEqual(item, other)) === i);
    return hasCount(value.length, words, ['minItems', 'maxItems'], at) && isDistinct && value.every(fits);
  }

  #object(value: Record<string, unknown>, words: Words, at: string, depth: number): boolean {
    const properties = schemasOf(words, 'properties', at);
    const patterns = [...schemasOf(words, 'patternProperties', at)];
    const fits = ([name, member]: [string, unknown]): boolean => {
      const said = [
        ...(properties.has(name) ? [properties.get(name)] : []),
        ...patterns.flatMap(([pattern, schema]) => (this.matches(name, pattern) ? [schema] : [])),
      ];
      const all = said.length > 0 ? said : [words['additionalProperties'] ?? words['unevaluatedProperties'] ?? true];
      const isNamed = words['propertyNames'] === undefined || this.fits(name, words['propertyNames'], at, depth + 1);
      return isNamed && all.every((schema) => this.fits(member, schema, at, depth + 1));
    };
    const members = Object.entries(value);
    const isWhole = namesOf(words, 'required', at).every((name) => Object.hasOwn(value, name));
    return isWhole && hasCount(members.length, words, ['minProperties', 'maxProperties'], at) && members.every(fits);
  }
}

function hasCount(count: number, words: Words, [least, most]: readonly [string, string], at: string): boolean {
  return count >= (countOf(words, least, at) ?? 0) && count <= (countOf(words, most, at) ?? Infinity);
}
