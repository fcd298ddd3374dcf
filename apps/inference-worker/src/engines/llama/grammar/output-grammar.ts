import { type OutputFormat, ServiceError } from '@slipway/contracts';
import { alt, isNever, printRules, text } from './gbnf.js';
import { givenGrammar } from './given-grammar.js';
import { growsTooFast } from './grammar-growth.js';
import { jsonObjectGrammar, jsonSchemaGrammar } from './json-schema-grammar.js';
import { wholeMatch } from './regex-grammar.js';
import { RuleBook } from './rule-book.js';

/** A whole grammar (`root`) for texts that a regular expression matches from their first character to their last. As `wholeMatch`. */
export function regexGrammar(pattern: string): string {
  const expr = wholeMatch(pattern);
  if (isNever(expr)) throw new ServiceError('invalid_value', 'No text can match the regular expression.');
  const book = new RuleBook('');
  book.define(book.reserve('root'), expr);
  if (growsTooFast(book.rules, 'root')) {
    throw new ServiceError('unsupported_value', 'The regular expression is too ambiguous: some text can match it in more than 1,000 ways.');
  }
  return printRules(book.rules);
}

/** A whole grammar (`root`) for one of some strings. @throws ServiceError `invalid_value` for a string that no text can hold. */
export function choiceGrammar(options: readonly string[]): string {
  const impossible = options.findIndex((option) => /[\0\p{Surrogate}]/u.test(option));
  if (impossible !== -1) throw new ServiceError('invalid_value', `Choice ${impossible} holds NUL or half of a surrogate pair.`);
  const book = new RuleBook('');
  book.define(book.reserve('root'), alt(...options.map(text)));
  return printRules(book.rules);
}

/**
 * A whole GBNF grammar (`root`) for the form that an answer must take. Synchronous; milliseconds for what people write,
 * at most about a second.
 * @throws ServiceError without `param`, `unsupported_value` or `invalid_value`, with a message that names what is wrong.
 */
export function outputGrammar(output: OutputFormat): string {
  switch (output.kind) {
    case 'json_object':
      return jsonObjectGrammar();
    case 'json_schema':
      return jsonSchemaGrammar(output.schema);
    case 'regex':
      return regexGrammar(output.pattern);
    case 'choice':
      return choiceGrammar(output.options);
    case 'grammar':
      return givenGrammar(output.grammar);
  }
}
