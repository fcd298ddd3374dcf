import { mergeWords } from './schema-merge.js';
import { assertions, invalidSchema, isRecord, listOf, textOf, unsupportedSchema, within, type Words } from './schema-words.js';

/** A choice between schemas. `exclusive` = `oneOf`: exactly one may hold. */
export interface Union {
  readonly exclusive: boolean;
  readonly branches: readonly unknown[];
  readonly at: string;
}

/** A schema without references and `allOf`: its own words, and choices that hold beside them. */
export interface FlatSchema {
  readonly words: Words;
  readonly unions: readonly Union[];
}

/** No value is in an empty list. */
const NOTHING: FlatSchema = { words: { enum: [] }, unions: [] };
const MAX_STEPS = 5_000;
const MAX_NESTED = 100;

/** Reads a schema and all that it refers to inside of itself. */
export class SchemaReader {
  readonly #following: string[] = [];
  #steps = 0;
  #nested = 0;

  constructor(private readonly root: unknown) {}

  /** The pointer of a schema that is a reference and nothing else, or all of just one, as generators of schemas like to write it. */
  referenceOf(schema: unknown, at: string): string | null {
    if (!isRecord(schema) || !('$ref' in schema || 'allOf' in schema)) return null;
    const words = assertions(schema, at);
    if (Object.keys(words).length !== 1) return null;
    const parts = listOf(words, 'allOf', at);
    if (!parts) return textOf(words, '$ref', at) ?? null;
    return parts.length === 1 ? this.referenceOf(parts[0], within(at, 'allOf', 0)) : null;
  }

  /** @throws ServiceError for what is not supported, refers to nothing, or refers to itself only. */
  flatten(schema: unknown, at: string): FlatSchema {
    this.#steps += 1;
    this.#nested += 1;
    try {
      if (this.#steps > MAX_STEPS) throw unsupportedSchema('The schema is too large: all that it combines and refers to counts.');
      if (this.#nested > MAX_NESTED) throw unsupportedSchema(`The schema combines others more than ${MAX_NESTED} levels deep (at ${at}).`);
      if (schema === true) return { words: {}, unions: [] };
      if (schema === false) return NOTHING;
      if (!isRecord(schema)) throw invalidSchema(`The schema at ${at} must be an object or a boolean.`);
      return this.#flattenObject(withNull(schema), at);
    } finally {
      this.#nested -= 1;
    }
  }

  /** What holds when both hold. */
  combine(a: FlatSchema, b: FlatSchema, at: string): FlatSchema {
    return { words: mergeWords(a.words, b.words, at), unions: [...a.unions, ...b.unions] };
  }

  /** The schema that a reference points at. */
  resolve(pointer: string, at: string): unknown {
    if (!pointer.startsWith('#') || (pointer.length > 1 && pointer[1] !== '/')) {
      throw unsupportedSchema(
        `The reference ${shown(pointer)} (at ${at}) is not supported: only those into the same schema are, such as "#/$defs/name".`,
      );
    }
    let target: unknown = this.root;
    for (const step of pointer.slice(1).split('/').slice(1)) {
      const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const known = typeof target === 'object' && target !== null && Object.hasOwn(target, key);
      if (!known) throw invalidSchema(`The reference ${shown(pointer)} (at ${at}) points at nothing.`);
      target = (target as Record<string, unknown>)[key];
    }
    return target;
  }

  #flattenObject(schema: Record<string, unknown>, at: string): FlatSchema {
    const { $ref, allOf, anyOf, oneOf, const: only, ...words } = assertions(schema, at);
    const own: Words = only === undefined && !('const' in schema) ? words : mergeWords(words, { enum: [only] }, at);
    const unions: Union[] = [];
    for (const [word, branches] of [
      ['anyOf', anyOf],
      ['oneOf', oneOf],
    ] as const) {
      if (branches !== undefined)
        unions.push({ exclusive: word === 'oneOf', branches: branchesOf(schema, word, at), at: within(at, word) });
    }
    let flat: FlatSchema = { words: own, unions };
    if ($ref !== undefined) flat = this.combine(this.#follow(schema, at), flat, at);
    if (allOf === undefined) return flat;
    for (const [i, part] of branchesOf(schema, 'allOf', at).entries()) {
      flat = this.combine(flat, this.flatten(part, within(at, 'allOf', i)), at);
    }
    return flat;
  }

  #follow(schema: Words, at: string): FlatSchema {
    const pointer = textOf(schema, '$ref', at) ?? '#';
    if (this.#following.includes(pointer)) throw invalidSchema(`The reference ${shown(pointer)} (at ${at}) leads back to itself.`);
    this.#following.push(pointer);
    try {
      return this.flatten(this.resolve(pointer, at), pointer.slice(0, 300));
    } finally {
      this.#following.pop();
    }
  }
}

/** `nullable` as it is used in OpenAPI, in the words of JSON Schema. */
function withNull(schema: Record<string, unknown>): Record<string, unknown> {
  if (!('nullable' in schema)) return schema;
  const { nullable, ...rest } = schema;
  if (nullable === false) return rest;
  if (nullable !== true) throw invalidSchema('The schema\'s "nullable" must be true or false.');
  const { type } = rest;
  if (type !== undefined) return { ...rest, type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), 'null'] };
  return 'enum' in rest || 'const' in rest ? rest : { anyOf: [rest, { type: 'null' }] };
}

function branchesOf(schema: Words, word: string, at: string): readonly unknown[] {
  const branches = listOf(schema, word, at) ?? [];
  if (branches.length === 0) throw invalidSchema(`The schema's "${word}" at ${at} must not be empty.`);
  return branches;
}

const shown = (pointer: string): string => JSON.stringify(pointer.length > 100 ? `${pointer.slice(0, 100)}…` : pointer);

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
