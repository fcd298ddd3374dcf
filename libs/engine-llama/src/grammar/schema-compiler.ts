import { isRecord } from '@slipway/contracts';
import { arrayGrammar, distinctValues } from './container-grammar.js';
import { alt, type Expr, isNever, NEVER, ref, text } from './gbnf.js';
import { jsonArray, jsonValue } from './json-text.js';
import { jsonNumbers } from './number-schema.js';
import { ObjectCompiler } from './object-schema.js';
import type { RuleBook } from './rule-book.js';
import { SchemaChoices } from './schema-choices.js';
import { Disjointness } from './schema-disjoint.js';
import { type FlatSchema, isCombined, type SchemaReader, type Union } from './schema-reader.js';
import {
  countOf,
  invalidSchema,
  type JsonType,
  listOf,
  saysNothing,
  typesOf,
  within,
  withoutUnevaluated,
  type Words,
} from './schema-words.js';
import { textChoice } from './text-choice.js';
import { jsonText } from './text-schema.js';
import { ValueFits } from './value-fits.js';

const MAX_DEPTH = 100;
/** Most combinations of branches of several unions. */
const MAX_COMBINATIONS = 256;
/** Most values of an array of distinct values. */
const MAX_DISTINCT = 6;

/** Compiles schemas to expressions; each reference and each combination becomes a rule. */
export class SchemaCompiler {
  /** By pointer, or by the schema itself. */
  readonly #made = new Map<unknown, Expr>();
  readonly #disjointness: Disjointness;
  readonly #fits: ValueFits;
  readonly #objects: ObjectCompiler;
  /** Choices of the grammar. */
  readonly choices: SchemaChoices;
  readonly #combined = new Map<string, Expr>();
  readonly #open = new Set<unknown>();
  #depth = 0;
  #recursive = false;
  #chooses = false;
  #matches = false;

  constructor(
    private readonly book: RuleBook,
    private readonly reader: SchemaReader,
  ) {
    this.choices = new SchemaChoices(book, reader.leftOut);
    this.#disjointness = new Disjointness(reader);
    this.#fits = new ValueFits(reader);
    this.#objects = new ObjectCompiler(book, reader, this.#fits, (schema, at) => this.compile(schema, at));
  }

  /** Whether readings of a text may multiply endlessly: by recursive choices, or by repetitions in a pattern. */
  get mayGrow(): boolean {
    return this.#matches || (this.#recursive && this.#chooses);
  }

  /** @throws ServiceError `invalid_value` for an invalid schema, `unsupported_value` for one that is too large. */
  compile(schema: unknown, at: string): Expr {
    const pointer = this.reader.referenceOf(schema, at);
    if (pointer !== null) return this.#reference(pointer, at);
    // Where a reference has sibling keywords, the schema with both is the recursive one.
    const combines = isRecord(schema) && isCombined(schema);
    return combines ? this.#shared(schema, 'combined', () => this.#whole(schema, at)) : this.#whole(schema, at);
  }

  #whole(schema: unknown, at: string): Expr {
    if (this.#depth >= MAX_DEPTH) {
      this.reader.leftOut.add(at, '');
      return jsonValue(this.book);
    }
    this.#depth += 1;
    const expr = this.#flat(this.reader.flatten(schema, at), at, 1);
    this.#depth -= 1;
    return expr;
  }

  #reference(pointer: string, at: string): Expr {
    const hint = pointer.split('/').at(-1)?.replace('#', '') || 'whole';
    return this.#shared(pointer, hint, () => this.compile(this.reader.resolve(pointer, at), pointer.slice(0, 300)));
  }

  /** A rule for a part that may be repeated or recursive. */
  #shared(key: unknown, hint: string, make: () => Expr): Expr {
    const known = this.#made.get(key);
    this.#recursive ||= this.#open.has(key);
    if (known) return known;
    const name = this.book.reserve(hint);
    this.#made.set(key, ref(name));
    this.#open.add(key);
    const value = make();
    this.#open.delete(key);
    const made = isNever(value) ? NEVER : this.book.define(name, value);
    this.#made.set(key, made);
    return made;
  }

  /** @param combinations combinations of branches so far. */
  #flat({ words, unions }: FlatSchema, at: string, combinations: number): Expr {
    const [union, ...others] = unions;
    if (!union) return combinations > 1 ? this.#once(words, at) : this.#words(withoutUnevaluated(words), at);
    this.#chooses = true;
    const ways = combinations * union.branches.length;
    if (combinations > 1 && ways > MAX_COMBINATIONS) {
      this.reader.leftOut.add(union.at, '');
      return this.#flat({ words, unions: others }, at, combinations);
    }
    if (union.exclusive) this.#requireDistinct(union);
    const alone = saysNothing(words) && others.length === 0;
    const options = union.branches.map((branch, i) => {
      const place = within(union.at, i);
      if (alone) return this.compile(branch, place);
      return this.#flat(this.reader.combine({ words, unions: others }, this.reader.flattenPart(branch, place), at), place, ways);
    });
    const otherwise = (): Expr => this.#flat({ words, unions: others }, at, combinations);
    return this.choices.rule(alt(...options), union.at, otherwise);
  }

  /** Removes equal branches. */
  #once(words: Words, at: string): Expr {
    const key = JSON.stringify(words);
    const known = this.#combined.get(key) ?? this.#words(withoutUnevaluated(words), at);
    this.#combined.set(key, known);
    return known;
  }

  /** Reads `oneOf` as `anyOf` where some value may match two branches. */
  #requireDistinct({ branches, at }: Union): void {
    const overlap = branches.some((a, i) => branches.some((b, j) => j > i && !this.#disjointness.proved(a, b, at)));
    if (overlap) this.reader.leftOut.add(at, '');
  }

  #words(words: Words, at: string): Expr {
    if (saysNothing(words)) return jsonValue(this.book);
    const values = listOf(words, 'enum', at);
    if (values) return this.#values(values, words, at);
    return alt(...typesOf(words).map((type) => this.#typed(type, words, at)));
  }

  #values(values: readonly unknown[], words: Words, at: string): Expr {
    const { enum: _, ...others } = words;
    const fitting = values.filter((value) => this.#fits.fitsWords(value, others, at));
    return textChoice(
      this.book,
      fitting.map((value) => JSON.stringify(value)),
    );
  }

  #typed(type: JsonType, words: Words, at: string): Expr {
    switch (type) {
      case 'null':
        return text('null');
      case 'boolean':
        return this.book.rule('boolean', alt(text('true'), text('false')));
      case 'integer':
      case 'number':
        return jsonNumbers(this.book, type, words, { at, leftOut: this.reader.leftOut });
      case 'string':
        return this.#string(words, at);
      case 'array':
        return this.#array(words, at);
      case 'object':
        return this.#named('object', this.#objects.object(words, at));
    }
  }

  #string(words: Words, at: string): Expr {
    const { expr, mayGrow } = jsonText(this.book, words, at, this.reader.leftOut);
    this.#matches ||= mayGrow;
    return expr;
  }

  #array(words: Words, at: string): Expr {
    const items = words['items'];
    const placed = listOf(words, 'prefixItems', at) ?? [];
    const [min, max] = [countOf(words, 'minItems', at) ?? 0, countOf(words, 'maxItems', at) ?? null];
    const distinct = this.#distinct(words, { placed, min, max }, at);
    if (distinct) return distinct;
    if (items === undefined && placed.length === 0 && min === 0 && max === null) return jsonArray(this.book);
    const closed = items === undefined && placed.length > 0;
    const form = arrayGrammar(this.book, {
      items: placed.map((each, i) => this.compile(each, within(at, 'prefixItems', i))),
      rest: closed ? null : this.compile(items ?? true, within(at, 'items')),
      min,
      max,
    });
    return this.#named('array', form);
  }

  /** An array of distinct values; null = not required, or left out. */
  #distinct(words: Words, { placed, min, max }: { placed: readonly unknown[]; min: number; max: number | null }, at: string): Expr | null {
    if (!this.#isUnique(words, at) || (max !== null && max <= 1)) return null;
    const items = words['items'];
    const values = placed.length === 0 && isRecord(items) ? this.#fewValues(items, within(at, 'items')) : null;
    if (values) return this.#named('array', distinctValues(this.book, values, { min, max }));
    this.reader.leftOut.add(at, 'uniqueItems');
    return null;
  }

  #isUnique(words: Words, at: string): boolean {
    const value = words['uniqueItems'];
    if (value === undefined || typeof value === 'boolean') return value === true;
    throw invalidSchema(`The schema's "uniqueItems" at ${at} must be true or false.`);
  }

  /** The values of a schema; null = too many or unknown. */
  #fewValues(schema: Record<string, unknown>, at: string): readonly Expr[] | null {
    const { words, unions } = this.reader.flatten(schema, at);
    const listed = words['enum'] === undefined && words['type'] === 'boolean' ? [true, false] : listOf(words, 'enum', at);
    if (!listed || unions.length > 0) return null;
    const texts = new Set(listed.filter((value) => this.#fits.fitsWords(value, words, at)).map((value) => JSON.stringify(value)));
    return texts.size <= MAX_DISTINCT ? Array.from(texts, text) : null;
  }

  #named(hint: string, expr: Expr): Expr {
    return isNever(expr) ? NEVER : this.book.rule(hint, expr);
  }
}
