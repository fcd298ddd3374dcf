import { type OutputFormat, ServiceError } from '@slipway/contracts';
import { type EmbeddedRules, isNever, printRules } from './gbnf.js';
import { givenRules } from './given-grammar.js';
import { growsTooFast } from './grammar-growth.js';
import { CompileBudget } from './compile-budget.js';
import { jsonObjectRules, jsonSchemaRules, type SchemaRules } from './json-schema-grammar.js';
import { wholeMatch } from './regex-grammar.js';
import { RuleBook } from './rule-book.js';
import { textChoice } from './text-choice.js';

function regexRules(pattern: string, prefix: string): EmbeddedRules {
  const expr = wholeMatch(pattern);
  if (isNever(expr)) throw new ServiceError('invalid_value', 'No text can match the regular expression.');
  const book = new RuleBook(prefix);
  const root = book.reserve('root');
  book.define(root, expr);
  if (growsTooFast(book.rules, root)) {
    throw new ServiceError('unsupported_value', 'The regular expression is too ambiguous: some text can match it in more than 1,000 ways.');
  }
  return { root, rules: printRules(book.rules) };
}

function choiceRules(options: readonly string[], prefix: string): EmbeddedRules {
  const impossible = options.findIndex((option) => /[\0\p{Surrogate}]/u.test(option));
  if (impossible !== -1) throw new ServiceError('invalid_value', `Choice ${impossible} holds NUL or half of a surrogate pair.`);
  const book = new RuleBook(prefix);
  const root = book.reserve('root');
  book.define(root, textChoice(book, options));
  return { root, rules: printRules(book.rules) };
}

/**
 * GBNF rules for the output format of an answer, whose names all begin with `prefix` (letters, digits and `-`; empty = a whole
 * grammar with the rule `root`): JSON by `jsonSchemaRules`, a regular expression by `wholeMatch`, one of the choices, or the
 * caller's own grammar after checks. Synchronous; takes milliseconds, at most about a second.
 * @throws ServiceError without `param`: `unsupported_value` or `invalid_value`, with a message naming the fault.
 */
export function outputRules(output: OutputFormat, prefix: string, budget = new CompileBudget()): SchemaRules {
  switch (output.kind) {
    case 'json_object':
      return { ...jsonObjectRules(prefix), leftOut: [] };
    case 'json_schema':
      return jsonSchemaRules(output.schema, prefix, { budget });
    case 'regex':
      return { ...regexRules(output.pattern, prefix), leftOut: [] };
    case 'choice':
      return { ...choiceRules(output.options, prefix), leftOut: [] };
    case 'grammar':
      return { ...givenRules(output.grammar, prefix), leftOut: [] };
  }
}
