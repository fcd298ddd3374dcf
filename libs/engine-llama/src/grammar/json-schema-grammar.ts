import { type EmbeddedRules, type Expr, isNever, printRules, type Rules } from './gbnf.js';
import { CompileBudget } from './compile-budget.js';
import { LeftOut } from './left-out.js';
import { faultOf, type GrammarFault, possibleRules, reachableRules } from './grammar-check.js';
import { growsTooFast } from './grammar-growth.js';
import { jsonObject } from './json-text.js';
import { RuleBook } from './rule-book.js';
import type { SchemaChoices } from './schema-choices.js';
import { SchemaCompiler } from './schema-compiler.js';
import { SchemaReader } from './schema-reader.js';
import { invalidSchema, unsupportedSchema } from './schema-words.js';

export type { EmbeddedRules } from './gbnf.js';

/** Rules of a schema, and what they do not enforce. */
export interface SchemaRules extends EmbeddedRules {
  /** JSON pointers of the assertions that are not enforced. */
  readonly leftOut: readonly string[];
}

/** Context of a schema, and the budget of its grammar. */
export interface SchemaPlace {
  /** Root for references; absent = the schema itself. */
  readonly root?: unknown;
  /** Pointer of the schema from the root. */
  readonly at?: string;
  /** Shared by all schemas of a request. */
  readonly budget?: CompileBudget;
  /** Collects what is not enforced. */
  readonly leftOut?: LeftOut;
}

/**
 * GBNF rules for the values of a JSON schema (draft 2020-12, 2019-09, 7 or 6, or of OpenAPI 3), whose names all begin with
 * `prefix` (letters, digits and `-`). `docs/api.md` lists what is enforced and what is left out.
 *
 * Every text of the grammar satisfies the schema, except the assertions left out. The grammar fixes one form of each value: members in
 * the order of `properties`, at most one blank after `,` and `:`, integers of at most 18 digits without exponents, bounded numbers as
 * decimals of at most 15 digits. Open schemas are closed: no other members where `properties` are listed, no other elements after
 * `prefixItems`, and keywords of one type imply that type.
 * @throws ServiceError without `param`: `invalid_value` for an invalid or unsatisfiable schema, `unsupported_value` for one whose
 * grammar would be too large or too ambiguous.
 */
export function jsonSchemaRules(schema: unknown, prefix: string, place: SchemaPlace = {}): SchemaRules {
  const { root = schema, at = '#', budget = new CompileBudget(), leftOut = new LeftOut() } = place;
  const book = new RuleBook(prefix, budget);
  const name = book.reserve('root');
  const reader = new SchemaReader(root, leftOut, budget);
  const compiler = new SchemaCompiler(book, reader);
  const value = compiler.compile(schema, at);
  if (isNever(value) && reader.contradiction !== null) throw invalidSchema(`No value can satisfy the schema: ${reader.contradiction}.`);
  const made = embedded(book, name, value, compiler.mayGrow ? compiler.choices : null);
  return { ...made, leftOut: leftOut.places };
}

const tooAmbiguous = (): Error =>
  unsupportedSchema('The schema is too ambiguous: some text can be read in more than 1,000 ways at once. Let branches begin differently.');

/** GBNF rules for any JSON object in compact form. */
export function jsonObjectRules(prefix: string): EmbeddedRules {
  const book = new RuleBook(prefix);
  const root = book.reserve('root');
  return embedded(book, root, jsonObject(book), null);
}

/**
 * The rules of a book with a root for this value, made unambiguous.
 * @throws ServiceError when nothing can satisfy them, or when they must not be given to llama.cpp.
 */
export const embeddedRules = (book: RuleBook, value: Expr): EmbeddedRules => embedded(book, book.reserve('root'), value, null);

/** @param choices choices that may multiply the readings of a text endlessly; null = none. */
function embedded(book: RuleBook, root: string, value: Expr, choices: SchemaChoices | null): EmbeddedRules {
  book.define(root, value);
  const needed = (): Rules => possibleRules(reachableRules(book.rules, root), root);
  assertSatisfiable(needed(), value);
  choices?.tame(needed);
  let rules = needed();
  for (; choices && growsTooFast(rules, root); rules = needed()) if (!choices.giveUpOne()) throw tooAmbiguous();
  return { root, rules: printRules(rules) };
}

function assertSatisfiable(rules: Rules, value: Expr): void {
  if (isNever(value)) throw invalidSchema('No value can satisfy the schema.');
  const fault = faultOf(rules);
  if (fault) throw MESSAGES[fault.kind](fault.rule);
}

const MESSAGES: Readonly<Record<GrammarFault['kind'], (rule: string) => Error>> = {
  undefined: (rule) => new Error(`A rule was not defined: ${rule}`),
  endless: (rule) => invalidSchema(`No finite value can satisfy the schema: "${rule}" always contains itself, or contradicts itself.`),
  'left-recursive': (rule) => invalidSchema(`The schema refers to itself without anything between ("${rule}").`),
  ambiguous: (rule) => unsupportedSchema(`The schema is too large: "${rule}" can begin in too many ways.`),
};
