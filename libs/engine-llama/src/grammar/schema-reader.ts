import { isRecord } from '@slipway/contracts';
import type { CompileBudget } from './compile-budget.js';
import type { LeftOut } from './left-out.js';
import { type Reference, SchemaReferences } from './schema-references.js';
import { mergeWords } from './schema-merge.js';
import { modernized } from './schema-dialects.js';
import {
  assertions,
  invalidSchema,
  listOf,
  namesOf,
  schemasOf,
  textOf,
  unsupportedSchema,
  within,
  type Words,
  withoutNulls,
  withoutUnevaluated,
} from './schema-words.js';

/** A choice between schemas. `exclusive` = `oneOf`: exactly one may hold. */
export interface Union {
  readonly exclusive: boolean;
  readonly branches: readonly unknown[];
  readonly at: string;
}

/** A schema without references and `allOf`: its own keywords, and its choices. */
export interface FlatSchema {
  readonly words: Words;
  readonly unions: readonly Union[];
}

/** Keywords that no value satisfies: an empty `enum`. */
const NOTHING: FlatSchema = { words: { enum: [] }, unions: [] };
const MAX_NESTED = 100;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Reads a schema and resolves references within it. */
export class SchemaReader {
  readonly #following: string[] = [];
  readonly #references: SchemaReferences;
  readonly #known = new WeakMap<object, FlatSchema>();
  #nested = 0;
  /** First reason why some part of the schema is unsatisfiable. */
  contradiction: string | null = null;

  constructor(
    root: unknown,
    readonly leftOut: LeftOut,
    readonly budget: CompileBudget,
  ) {
    this.#references = new SchemaReferences(root, budget);
  }

  /** The pointer of a schema that is only a reference, or an `allOf` of one reference, as schema generators write it. */
  referenceOf(schema: unknown, at: string): string | null {
    if (!isRecord(schema) || !isCombined(schema)) return null;
    const words = assertions(withoutNulls(schema, at, this.leftOut), at, this.leftOut);
    if (Object.keys(words).length !== 1) return null;
    const parts = listOf(words, 'allOf', at);
    if (parts) return parts.length === 1 ? this.referenceOf(parts[0], within(at, 'allOf', 0)) : null;
    const [word] = REFERENCES.filter((each) => each in words);
    return word === undefined ? null : this.#pointerOf(word, schema, at);
  }

  /** @throws ServiceError for an invalid schema, a dangling reference, or one that refers only to itself. */
  flatten(schema: unknown, at: string): FlatSchema {
    this.budget.steps();
    if (schema === true) return { words: {}, unions: [] };
    if (schema === false) return NOTHING;
    if (!isRecord(schema)) throw invalidSchema(`The schema at ${at} must be an object or a boolean.`);
    const known = this.#known.get(schema);
    if (known) return known;
    this.#nested += 1;
    if (this.#nested > MAX_NESTED) throw unsupportedSchema(`The schema combines others more than ${MAX_NESTED} levels deep (at ${at}).`);
    const flat = this.#flattenObject(modernized(withoutNulls(schema, at, this.leftOut), at), schema, at);
    this.#nested -= 1;
    this.#known.set(schema, flat);
    return flat;
  }

  /** Conjunction of both schemas. */
  combine(a: FlatSchema, b: FlatSchema, at: string): FlatSchema {
    this.budget.steps(1 + sizeOf(a.words) + sizeOf(b.words));
    return { words: mergeWords(a.words, b.words, at), unions: [...a.unions, ...b.unions] };
  }

  /** The schema at a pointer of `referenceOf`. */
  resolve(pointer: string, at: string): unknown {
    return this.#references.resolve(pointer, at);
  }

  /** The same for a schema in a conjunction: its unevaluated parts ignore the other schemas. */
  flattenPart(schema: unknown, at: string): FlatSchema {
    return this.#sealed(this.flatten(schema, at), at);
  }

  /** @param given the original schema, in which references are resolved */
  #flattenObject(schema: Record<string, unknown>, given: object, at: string): FlatSchema {
    const { allOf, anyOf, oneOf, const: only, ...words } = assertions(schema, at, this.leftOut);
    const { $ref, $dynamicRef, $recursiveRef, dependentRequired, dependentSchemas, ...plain } = words;
    const own: Words = only === undefined && !('const' in schema) ? plain : mergeWords(plain, { enum: [only] }, at);
    const unions: Union[] = [];
    for (const [word, branches] of [
      ['anyOf', anyOf],
      ['oneOf', oneOf],
    ] as const) {
      if (branches !== undefined)
        unions.push({ exclusive: word === 'oneOf', branches: branchesOf(schema, word, at), at: within(at, word) });
    }
    let flat: FlatSchema = { words: own, unions: [...unions, ...dependencies({ dependentRequired, dependentSchemas }, own, at)] };
    for (const word of REFERENCES) {
      const followed = words[word] === undefined ? null : this.#follow(word, given, at);
      if (followed) flat = this.combine(followed, flat, at);
    }
    if (allOf === undefined) return flat;
    for (const [i, part] of branchesOf(schema, 'allOf', at).entries()) {
      flat = this.combine(flat, this.flattenPart(part, within(at, 'allOf', i)), at);
    }
    return flat;
  }

  #sealed({ words, unions }: FlatSchema, at: string): FlatSchema {
    const { unevaluatedProperties, unevaluatedItems, ...rest } = words;
    if (unevaluatedProperties === undefined && unevaluatedItems === undefined) return { words, unions };
    if (unions.length > 0) {
      this.leftOut.add(at, unevaluatedProperties === undefined ? 'unevaluatedItems' : 'unevaluatedProperties');
      return { words: rest, unions };
    }
    return { words: withoutUnevaluated(words), unions };
  }

  #pointerOf(word: Reference['word'], given: object, at: string): string | null {
    return this.#references.pointerOf({ word, value: textOf(given as Words, word, at) ?? '#', given }, at);
  }

  /** Null for a reference that is left out: to another document, or an ambiguous one. */
  #follow(word: Reference['word'], given: object, at: string): FlatSchema | null {
    const pointer = this.#pointerOf(word, given, at);
    if (pointer === null) {
      this.leftOut.add(at, word);
      return null;
    }
    if (this.#following.includes(pointer)) throw invalidSchema(`The reference ${JSON.stringify(pointer)} (at ${at}) leads back to itself.`);
    this.#following.push(pointer);
    try {
      return this.flattenPart(this.resolve(pointer, at), pointer.slice(0, 300));
    } finally {
      this.#following.pop();
    }
  }
}

/** Whether a schema has references or `allOf`. */
export const isCombined = (schema: Words): boolean => 'allOf' in schema || REFERENCES.some((word) => word in schema);

const sizeOf = ({ properties }: Words): number => (isRecord(properties) ? Object.keys(properties).length >> 4 : 0);

/** Dependencies: the property is absent, or its schema holds. */
function dependencies(words: Words, own: Words, at: string): Union[] {
  // A dependency must not close an object without listed properties.
  const absent = (name: string): object => ({
    properties: { [name]: false },
    ...(!('properties' in own) && { additionalProperties: true }),
  });
  const required = Array.from(schemasOf(words, 'dependentRequired', at), ([name]): Union => {
    const needs = namesOf(words['dependentRequired'] as Words, name, at);
    const place = within(at, 'dependentRequired', name);
    return { exclusive: false, branches: [absent(name), { required: [name, ...needs] }], at: place };
  });
  const schemas = Array.from(schemasOf(words, 'dependentSchemas', at), ([name, schema]): Union => {
    const place = within(at, 'dependentSchemas', name);
    return { exclusive: false, branches: [absent(name), { allOf: [{ required: [name] }, schema] }], at: place };
  });
  return [...required, ...schemas];
}

function branchesOf(schema: Words, word: string, at: string): readonly unknown[] {
  const branches = listOf(schema, word, at) ?? [];
  if (branches.length === 0) throw invalidSchema(`The schema's "${word}" at ${at} must not be empty.`);
  return branches;
}
