import { ServiceError } from '@slipway/contracts';
import type { CharSet } from './char-set.js';
import { alt, chars, type Expr, repeat, seq } from './gbnf.js';
import { ANY } from './regex-classes.js';
import { regExpOf } from './regex-dialects.js';
import { type RegexBranch, regexBranches } from './regex-reader.js';

/**
 * A regular expression that the whole text must match.
 *
 * Supported ECMAScript syntax: characters and their escapes (`\t \n \v \f \r \0 \xHH \uHHHH \u{…}`, and any
 * punctuation behind a backslash), `.`, classes with ranges and `^`, `\d \w \s \D \W \S`, groups (capturing, named, `(?:`),
 * `|`, the counts `* + ? {m} {m,} {m,n}` with or without `?` behind them, and `^` and `$` at the ends of a branch; of Python's
 * and RE2's what `inJavaScript` reads.
 * @throws ServiceError `unsupported_value` for anything else (looking ahead or behind, back references, `\b`, `\p`),
 * `invalid_value` for an invalid regular expression.
 */
export function wholeMatch(pattern: string): Expr {
  if (!regExpOf(pattern)) throw new ServiceError('invalid_value', `${JSON.stringify(pattern.slice(0, 100))} is not a regular expression.`);
  return alt(...regexBranches(pattern, chars).map(bodyOf));
}

/**
 * A regular expression that matches somewhere in a text, as in JSON schemas. Same syntax.
 * @param char makes the expression for one character out of a set.
 */
export function anywhereMatch(pattern: string, char: (set: CharSet) => Expr): Expr {
  const around = repeat(char(ANY), 0, null);
  const branches = regexBranches(pattern, char);
  return alt(...branches.map((branch) => seq(...(branch.fromStart ? [] : [around]), bodyOf(branch), ...(branch.toEnd ? [] : [around]))));
}

function bodyOf({ parts }: RegexBranch): Expr {
  return seq(
    ...parts.map((part) => {
      if (part.kind !== 'lookahead') return part;
      throw new ServiceError('unsupported_value', 'A lookahead in a regular expression is not supported here.');
    }),
  );
}
