import { type Automaton, allOf, combine, ofLength } from './automaton.js';
import { automatonOf, patternAutomaton } from './automaton-builder.js';
import { countingSteps, objectGrammar } from './container-grammar.js';
import { alt, type Expr, isNever, NEVER, seq } from './gbnf.js';
import { COLON, jsonString, jsonValue, otherString, TEXT_ALPHABET } from './json-text.js';
import type { RuleBook } from './rule-book.js';
import type { SchemaReader } from './schema-reader.js';
import { countOf, listOf, namesOf, schemasOf, typesOf, within, type Words } from './schema-words.js';
import { machineOf, quotedMachine, textForm, lengthOf } from './text-schema.js';
import type { ValueFits } from './value-fits.js';

/** Most characters of listed names that are excluded from other names; beyond that no other names are allowed. */
const MAX_TOLD_APART = 4_000;
const MAX_COUNTED = 3_000;

type Compile = (schema: unknown, at: string) => Expr;

/** Compiles the objects of a schema. Names the assertions that it leaves out. */
export class ObjectCompiler {
  constructor(
    private readonly book: RuleBook,
    private readonly reader: SchemaReader,
    private readonly fits: ValueFits,
    private readonly compile: Compile,
  ) {}

  object(words: Words, at: string): Expr {
    const { min, max } = this.#counts(words, at);
    const additional = this.#additional(words, at);
    const others = additional === false && !('patternProperties' in words) ? null : this.#others(words, additional, at);
    const members = this.#members(words, additional, at);
    const anyOthers = additional === true && !('patternProperties' in words) && !('propertyNames' in words);
    return objectGrammar(this.book, { members, others, anyOthers, ...this.#countable({ min, max }, members, others !== null, at) });
  }

  /** Where properties are listed, others are allowed only if the schema says so. */
  #additional(words: Words, at: string): unknown {
    const listed = schemasOf(words, 'properties', at).size > 0 || schemasOf(words, 'patternProperties', at).size > 0;
    const said = words['additionalProperties'] ?? words['unevaluatedProperties'];
    return said ?? !listed;
  }

  #counts(words: Words, at: string): { readonly min: number; readonly max: number | null } {
    return { min: countOf(words, 'minProperties', at) ?? 0, max: countOf(words, 'maxProperties', at) ?? null };
  }

  /** Counts are left out where required members satisfy them, or where the grammar would be too large. */
  #countable(
    { min, max }: { readonly min: number; readonly max: number | null },
    members: readonly { readonly required: boolean }[],
    open: boolean,
    at: string,
  ): { readonly min: number; readonly max: number | null } {
    const required = members.filter((member) => member.required).length;
    const least = min <= required ? 0 : min;
    const most = max === null || (!open && members.length <= max) ? null : max;
    if (members.length === 0 || countingSteps(members.length, { min: least, max: most }) <= MAX_COUNTED) return { min: least, max: most };
    if (least > 1) this.reader.leftOut.add(at, 'minProperties');
    if (most !== null) this.reader.leftOut.add(at, 'maxProperties');
    return { min: Math.min(least, 1), max: null };
  }

  #members(words: Words, additional: unknown, at: string): { name: string; value: Expr; required: boolean }[] {
    const properties = schemasOf(words, 'properties', at);
    const required = new Set(namesOf(words, 'required', at));
    const named = this.#namesListed(words, at);
    const members = Array.from(properties, ([name, schema]) => ({
      name,
      value: this.#isName(name, words, at) ? this.#valueOf(name, schema, words, at) : NEVER,
      required: required.has(name),
    }));
    const more = [...required, ...(named ?? []).filter((name) => additional !== false && !required.has(name))];
    for (const name of more) {
      if (properties.has(name)) continue;
      const value = this.#unlisted(name, words, additional, at);
      if (value === null && !required.has(name)) continue;
      if (value === null)
        this.reader.contradiction ??= `the schema at ${at} requires the property ${JSON.stringify(name.slice(0, 60))}, but does not allow it`;
      members.push({ name, value: value ?? NEVER, required: required.has(name) });
    }
    return members;
  }

  /** Value of unlisted properties; null = none are allowed. */
  #unlisted(name: string, words: Words, additional: unknown, at: string): Expr | null {
    if (!this.#isName(name, words, at)) return null;
    if (this.#patternsOf(name, words, at).length > 0) return this.#valueOf(name, true, words, at);
    const said = words['additionalProperties'] ?? words['unevaluatedProperties'];
    if (said === undefined) return jsonValue(this.book);
    return additional === false ? null : this.compile(additional, within(at, 'additionalProperties'));
  }

  /** Combines a property's schema with those of the patterns that its name matches. */
  #valueOf(name: string, schema: unknown, words: Words, at: string): Expr {
    const patterns = this.#patternsOf(name, words, at);
    const place = within(at, 'properties', name);
    return patterns.length === 0 ? this.compile(schema, place) : this.compile({ allOf: [schema, ...patterns] }, place);
  }

  #patternsOf(name: string, words: Words, at: string): readonly unknown[] {
    return [...schemasOf(words, 'patternProperties', at)].flatMap(([pattern, schema]) =>
      this.fits.matches(name, pattern) ? [schema] : [],
    );
  }

  #isName(name: string, words: Words, at: string): boolean {
    return !('propertyNames' in words) || this.fits.fits(name, words['propertyNames'], within(at, 'propertyNames'));
  }

  /** Names listed by `propertyNames`; null = none. */
  #namesListed(words: Words, at: string): readonly string[] | null {
    if (!('propertyNames' in words)) return null;
    const place = within(at, 'propertyNames');
    const flat = this.reader.flatten(words['propertyNames'], place);
    const listed = flat.words['enum'] === undefined ? null : listOf(flat.words, 'enum', place);
    return listed?.filter((name) => typeof name === 'string') ?? null;
  }

  /** Members with unlisted names: those of each pattern, and all others. Null = none. */
  #others(words: Words, additional: unknown, at: string): Expr | null {
    const patterns = [...schemasOf(words, 'patternProperties', at)];
    const names = [...schemasOf(words, 'properties', at).keys(), ...namesOf(words, 'required', at)];
    if (this.#namesListed(words, at)) return null;
    if (patterns.length === 0 && !('propertyNames' in words)) {
      if (additional === false) return null;
      const value = this.compile(additional, within(at, 'additionalProperties'));
      if (isNever(value) || names.join('').length > MAX_TOLD_APART) return null;
      return seq(names.length > 0 ? otherString(this.book, names) : jsonString(this.book), COLON, value);
    }
    return this.#formed(words, additional, { patterns, names }, at);
  }

  #formed(
    words: Words,
    additional: unknown,
    { patterns, names }: { readonly patterns: readonly [string, unknown][]; readonly names: readonly string[] },
    at: string,
  ): Expr | null {
    const free = this.#freeNames(words, names, at);
    if (!free) return null;
    const ways: Expr[] = [];
    let rest: Automaton | null = free;
    // Names that match several patterns are excluded.
    for (const [pattern, schema] of patterns) {
      const machine: Automaton | null = machineOf(() => patternAutomaton(pattern));
      const own: Automaton | null = machine && rest && combine(rest, machine, 'and');
      const alone = own && this.#withoutOthers(own, patterns, pattern);
      if (alone) ways.push(this.#member(alone, schema, within(at, 'patternProperties', pattern)));
      rest = machine && rest && combine(rest, machine, 'without');
    }
    if (additional !== false && rest) ways.push(this.#member(rest, additional, within(at, 'additionalProperties')));
    const all = alt(...ways);
    return isNever(all) ? null : all;
  }

  /** Allowed unlisted names; null = unknown. */
  #freeNames(words: Words, listed: readonly string[], at: string): Automaton | null {
    const any = ofLength(TEXT_ALPHABET, 0, null);
    const named = 'propertyNames' in words ? this.#nameForm(words['propertyNames'], within(at, 'propertyNames'), at) : any;
    const taken = automatonOf(alt(...listed.map((name): Expr => ({ kind: 'text', text: name }))));
    return named && taken && combine(named, taken, 'without');
  }

  #withoutOthers(machine: Automaton, patterns: readonly [string, unknown][], own: string): Automaton | null {
    return patterns.reduce<Automaton | null>((left, [pattern]) => {
      if (pattern === own || !left) return left;
      const other = machineOf(() => patternAutomaton(pattern));
      return other && combine(left, other, 'without');
    }, machine);
  }

  #member(names: Automaton, schema: unknown, at: string): Expr {
    const value = this.compile(schema, at);
    return isNever(value) ? NEVER : seq(quotedMachine(this.book, names), COLON, value);
  }

  /** The names that a schema allows; null = unknown. */
  #nameForm(schema: unknown, place: string, at: string): Automaton | null {
    const any = ofLength(TEXT_ALPHABET, 0, null);
    const { words, unions } = this.reader.flatten(schema, place);
    if (unions.length > 0) this.reader.leftOut.add(at, 'propertyNames');
    if (!typesOf({ type: words['type'] }).includes('string')) return null;
    const form = textForm(words, place, TEXT_ALPHABET, this.reader.leftOut);
    if (form?.machine) return form.machine;
    if (form) this.reader.leftOut.add(at, 'propertyNames');
    const { min, max } = lengthOf(words, place);
    const lengths = min === 0 && max === null ? any : ofLength(TEXT_ALPHABET, min, max === null ? null : Math.min(max, 200));
    return lengths && any && allOf([any, lengths]);
  }
}
