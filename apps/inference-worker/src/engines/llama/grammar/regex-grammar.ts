import { ServiceError } from '@slipway/contracts';
import type { CharSet } from './char-set.js';
import { alt, chars, type Expr, repeat, seq } from './gbnf.js';
import { type RegexBranch, RegexReader } from './regex-reader.js';

const ANY: CharSet = [[0, 0x10ffff]];

/**
 * A regular expression that the whole text must match.
 *
 * Of ECMAScript's syntax it takes: characters and their escapes (`\t \n \v \f \r \0 \xHH \uHHHH \u{…}`, and any
 * punctuation behind a backslash), `.`, classes with ranges and `^`, `\d \w \s \D \W \S`, groups (capturing, named, `(?:`),
 * `|`, the counts `* + ? {m} {m,} {m,n}` with or without `?` behind them, and `^` and `$` at the ends of a branch.
 * @throws ServiceError `unsupported_value` for anything else (looking ahead or behind, back references, `\b`, `\p`),
 * `invalid_value` for what is no regular expression.
 */
export const wholeMatch = (pattern: string): Expr => alt(...new RegexReader(pattern, chars).branches().map(bodyOf));

/**
 * A regular expression that matches somewhere in a text, as JSON schemas mean it. The same syntax.
 * @param char makes the expression for one character out of a set.
 */
export function anywhereMatch(pattern: string, char: (set: CharSet) => Expr): Expr {
  const around = repeat(char(ANY), 0, null);
  const branches = new RegexReader(pattern, char).branches();
  return alt(...branches.map((branch) => seq(...(branch.fromStart ? [] : [around]), bodyOf(branch), ...(branch.toEnd ? [] : [around]))));
}

function bodyOf({ parts }: RegexBranch): Expr {
  return seq(
    ...parts.map((part) => {
      if (part.kind !== 'look') return part;
      throw new ServiceError('unsupported_value', 'A regular expression that is looking ahead is not supported here.');
    }),
  );
}
