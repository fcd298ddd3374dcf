import { type EmbeddedRules, type Expr, isNever, printRules, type Rules } from './gbnf.js';
import { faultOf, type GrammarFault, possibleRules, reachableRules } from './grammar-check.js';
import { growsTooFast } from './grammar-growth.js';
import { jsonObject } from './json-text.js';
import { RuleBook } from './rule-book.js';
import { SchemaCompiler } from './schema-compiler.js';
import { SchemaReader } from './schema-reader.js';
import { invalidSchema, unsupportedSchema } from './schema-words.js';

export type { EmbeddedRules } from './gbnf.js';

/**
 * GBNF rules for the values of a JSON schema, whose names all begin with `prefix` (letters, digits and `-`).
 *
 * Supported keywords, of draft 2020-12:
 * - `type` (also a list), `enum`, `const`, `nullable`
 * - objects: `properties`, `required`, `additionalProperties` (also a schema)
 * - arrays: `items`, `prefixItems`, `minItems`, `maxItems`
 * - strings: `minLength`, `maxLength`, `pattern` (syntax: `wholeMatch`), `format`: `date`, `time`, `date-time`, `uuid`,
 *   `ipv4`, `email`
 * - numbers: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`
 * - `anyOf`, `oneOf` whose branches exclude each other, `allOf`, `$ref` into the same schema, also recursive
 * - without effect: `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `$schema`, `$id`,
 *   `$anchor`, `$comment`, `$defs`, `definitions`, `content…`, `x-…`, `uniqueItems: false`
 *
 * What comes out always satisfies the schema. It is written in one of the ways in which it could be: members in the order
 * of `properties`, at most one blank behind `,` and `:`, integers of at most 18 digits without exponents, bounded numbers as
 * decimals of at most 15 digits. Where a schema leaves it open, the grammar is closed: no other members where `properties`
 * are listed, no other elements behind `prefixItems`, and keywords of one type imply that type.
 * @throws ServiceError without `param`: `unsupported_value` for another keyword, for a combination that is not supported
 * and for a schema that is too large, `invalid_value` for a schema that is wrong or that nothing can satisfy.
 */
export function jsonSchemaRules(schema: unknown, prefix: string): EmbeddedRules {
  const book = new RuleBook(prefix);
  const root = book.reserve('root');
  const compiler = new SchemaCompiler(book, new SchemaReader(schema));
  const value = compiler.compile(schema, '#');
  return embedded(book, root, value, compiler.mayGrow);
}

const tooAmbiguous = (): Error =>
  unsupportedSchema('The schema is too ambiguous: some text can be read in more than 1,000 ways at once. Let branches begin differently.');

/** GBNF rules for any JSON object, of compact form. */
export function jsonObjectRules(prefix: string): EmbeddedRules {
  const book = new RuleBook(prefix);
  const root = book.reserve('root');
  return embedded(book, root, jsonObject(book), false);
}

/**
 * The rules of a book together with a root for this value.
 * @param mayGrow whether the ways to read a text may multiply without end.
 * @throws ServiceError where nothing can satisfy them, or llama.cpp must not be given them.
 */
export const embeddedRules = (book: RuleBook, value: Expr, mayGrow: boolean): EmbeddedRules =>
  embedded(book, book.reserve('root'), value, mayGrow);

function embedded(book: RuleBook, root: string, value: Expr, mayGrow: boolean): EmbeddedRules {
  book.define(root, value);
  const rules = possibleRules(reachableRules(book.rules, root), root);
  assertSatisfiable(rules, value);
  if (mayGrow && growsTooFast(rules, root)) throw tooAmbiguous();
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
