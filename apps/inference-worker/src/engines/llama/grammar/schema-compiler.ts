import { arrayGrammar, objectGrammar } from './container-grammar.js';
import { alt, type Expr, isNever, NEVER, ref, text } from './gbnf.js';
import { jsonArray, jsonChars, jsonInteger, jsonNumber, jsonString, jsonValue, quoted } from './json-text.js';
import { integersWithin, isWithin, limitsOf, numbersWithin } from './number-range.js';
import { anywhereMatch } from './regex-grammar.js';
import type { RuleBook } from './rule-book.js';
import { Disjointness, isOfType } from './schema-disjoint.js';
import type { FlatSchema, SchemaReader, Union } from './schema-reader.js';
import {
  countOf,
  invalidSchema,
  isRecord,
  type JsonType,
  listOf,
  namesOf,
  saysNothing,
  schemasOf,
  textOf,
  typesOf,
  unsupportedSchema,
  within,
  type Words,
} from './schema-words.js';
import { FORMAT_NAMES, formatText } from './string-format.js';
import { textChoice } from './text-choice.js';

const MAX_DEPTH = 100;
/** Keywords beside `enum` whose effect on the values is not worked out. */
const NOT_BESIDE_ENUM = ['properties', 'required', 'additionalProperties', 'items', 'prefixItems', 'pattern', 'format'];

/** Turns schemas into expressions, each reference and each combination into a rule of its own. */
export class SchemaCompiler {
  /** By pointer, or by the schema itself. */
  readonly #made = new Map<unknown, Expr>();
  readonly #disjointness: Disjointness;
  readonly #open = new Set<unknown>();
  #depth = 0;
  #recursive = false;
  #chooses = false;
  #matches = false;

  constructor(
    private readonly book: RuleBook,
    private readonly reader: SchemaReader,
  ) {
    this.#disjointness = new Disjointness(reader);
  }

  /** The ways to read a text may multiply without end: choices inside of themselves, or a pattern's counts. */
  get mayGrow(): boolean {
    return this.#matches || (this.#recursive && this.#chooses);
  }

  /** @throws ServiceError `unsupported_value` or `invalid_value`, with a message that names the keyword and its place. */
  compile(schema: unknown, at: string): Expr {
    const pointer = this.reader.referenceOf(schema, at);
    if (pointer !== null) return this.#reference(pointer, at);
    // Where a reference stands beside others it is the schema that holds both that comes back to itself.
    const combines = isRecord(schema) && ('$ref' in schema || 'allOf' in schema);
    return combines ? this.#shared(schema, 'combined', () => this.#whole(schema, at)) : this.#whole(schema, at);
  }

  #whole(schema: unknown, at: string): Expr {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw unsupportedSchema(
        `The schema is more than ${MAX_DEPTH} levels deep (at ${at}). So is one whose reference to itself is combined with other keywords.`,
      );
    const expr = this.#flat(this.reader.flatten(schema, at), at);
    this.#depth -= 1;
    return expr;
  }

  #reference(pointer: string, at: string): Expr {
    const hint = pointer.split('/').at(-1)?.replace('#', '') || 'whole';
    return this.#shared(pointer, hint, () => this.compile(this.reader.resolve(pointer, at), pointer.slice(0, 300)));
  }

  /** A rule for what may come again, also inside of itself. */
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

  #flat({ words, unions }: FlatSchema, at: string): Expr {
    const [union, ...others] = unions;
    if (!union) return this.#words(words, at);
    this.#chooses = true;
    if (union.exclusive) this.#assertDisjoint(union);
    const alone = saysNothing(words) && others.length === 0;
    const options = union.branches.map((branch, i) => {
      const place = within(union.at, i);
      if (alone) return this.compile(branch, place);
      return this.#flat(this.reader.combine({ words, unions: others }, this.reader.flatten(branch, place), at), place);
    });
    return alt(...options);
  }

  #assertDisjoint({ branches, at }: Union): void {
    for (const [i, a] of branches.entries()) {
      for (const [j, b] of branches.entries()) {
        if (j <= i || this.#disjointness.proved(a, b, at)) continue;
        const parts = `${i} and ${j} of the "oneOf" (at ${at})`;
        throw unsupportedSchema(
          `A value may match both ${parts}. Let a required property with a different "const" tell them apart, or use "anyOf".`,
        );
      }
    }
  }

  #words(words: Words, at: string): Expr {
    if (saysNothing(words)) return jsonValue(this.book);
    const values = listOf(words, 'enum', at);
    if (values) return this.#values(values, words, at);
    return alt(...typesOf(words, at).map((type) => this.#typed(type, words, at)));
  }

  #values(values: readonly unknown[], words: Words, at: string): Expr {
    const [other] = NOT_BESIDE_ENUM.filter((word) => word in words);
    if (other !== undefined && values.length > 0)
      throw unsupportedSchema(`The schema keyword "${other}" beside "enum" or "const" (at ${at}) is not supported.`);
    const types = typesOf({ type: words['type'] }, at);
    const limits = limitsOf(words, at);
    const fits = (value: unknown): boolean => {
      if (!isOfType(value, types)) return false;
      if (typeof value === 'number' && limits) return isWithin(value, limits);
      if (typeof value === 'string') return hasLength(Array.from(value).length, words, ['minLength', 'maxLength'], at);
      return !Array.isArray(value) || hasLength(value.length, words, ['minItems', 'maxItems'], at);
    };
    return textChoice(
      this.book,
      values.filter(fits).map((value) => JSON.stringify(value)),
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
        return this.#number(type, words, at);
      case 'string':
        return this.#string(words, at);
      case 'array':
        return this.#array(words, at);
      case 'object':
        return this.#object(words, at);
    }
  }

  #number(type: 'integer' | 'number', words: Words, at: string): Expr {
    const limits = limitsOf(words, at);
    if (!limits) return type === 'integer' ? jsonInteger(this.book) : jsonNumber(this.book);
    return this.#named(type, type === 'integer' ? integersWithin(limits) : numbersWithin(limits, at));
  }

  #string(words: Words, at: string): Expr {
    const [pattern, format] = [textOf(words, 'pattern', at), textOf(words, 'format', at)];
    const [min, max] = [countOf(words, 'minLength', at) ?? 0, countOf(words, 'maxLength', at) ?? null];
    if (max !== null && min > max) return NEVER;
    const form = pattern ?? format;
    if (form === undefined) return jsonString(this.book, min, max);
    if (min > 0 || max !== null)
      throw unsupportedSchema(
        `"minLength" or "maxLength" beside "pattern" or "format" (at ${at}) is not supported: say the length in the pattern.`,
      );
    this.#matches ||= pattern !== undefined;
    // Beside a pattern, a format is an annotation, as the standard has it.
    if (pattern !== undefined) return this.book.rule('pattern', quoted(anywhereMatch(pattern, jsonChars)));
    const content = formatText(form);
    if (content === null)
      throw unsupportedSchema(
        `The format ${JSON.stringify(form.slice(0, 60))} (at ${at}) is not supported: only ${FORMAT_NAMES.join(', ')} are.`,
      );
    return this.book.rule(form, quoted(content));
  }

  #array(words: Words, at: string): Expr {
    const items = words['items'];
    if (Array.isArray(items)) throw unsupportedSchema(`"items" as an array (at ${at}) is not supported: use "prefixItems".`);
    const placed = listOf(words, 'prefixItems', at) ?? [];
    const [min, max] = [countOf(words, 'minItems', at) ?? 0, countOf(words, 'maxItems', at) ?? null];
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

  #named(hint: string, expr: Expr): Expr {
    return isNever(expr) ? NEVER : this.book.rule(hint, expr);
  }

  #object(words: Words, at: string): Expr {
    const properties = schemasOf(words, 'properties', at);
    const required = new Set(namesOf(words, 'required', at));
    const additional = words['additionalProperties'] ?? properties.size === 0;
    const others = additional === false ? null : this.compile(additional, within(at, 'additionalProperties'));
    const members = Array.from(properties, ([name, schema]) => ({
      name,
      value: this.compile(schema, within(at, 'properties', name)),
      required: required.has(name),
    }));
    for (const name of required) {
      if (properties.has(name)) continue;
      const value = words['additionalProperties'] === undefined ? jsonValue(this.book) : others;
      if (value === null)
        throw invalidSchema(`The schema at ${at} requires the property ${JSON.stringify(name.slice(0, 60))}, but does not allow it.`);
      members.push({ name, value, required: true });
    }
    return this.#named('object', objectGrammar(this.book, { members, others, anyOthers: additional === true }));
  }
}

function hasLength(length: number, words: Words, [least, most]: readonly [string, string], at: string): boolean {
  return length >= (countOf(words, least, at) ?? 0) && length <= (countOf(words, most, at) ?? Infinity);
}
