import { type CharRange, type CharSet, charSet, charsOf, complement, intersect } from './char-set.js';

const DIGITS: CharSet = charSet([0x30, 0x39]);
const WORD: CharSet = charSet([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]);
const BLANK: CharSet = charSet(
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
);

/** Every code point. */
export const ANY: CharSet = [[0, 0x10ffff]];

/** Characters of `.`: all but line terminators. */
export const DOT: CharSet = complement(charsOf('\n\r\u2028\u2029'));

/** What `\d`, `\w`, `\s` and their opposites stand for. */
export const CLASS_ESCAPES: ReadonlyMap<string, CharSet> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', BLANK],
  ['S', complement(BLANK)],
]);

/** ASCII letters of both cases, and the letters that Unicode folds to them. */
const CASES: readonly CharSet[] = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) =>
  charsOf(letter + letter.toUpperCase() + (letter === 'k' ? '\u212a' : '') + (letter === 's' ? '\u017f' : '')),
);

/** Adds the other case of ASCII letters. */
export const inAnyCase = (set: CharSet): CharSet => charSet(...set, ...CASES.filter((cases) => intersect(cases, set).length > 0).flat());

/** Whether a range has no cased letters beyond ASCII; false for a long range. */
export function isCaseless([from, to]: CharRange): boolean {
  if (to < 0x80) return true;
  const codes = Array.from({ length: Math.min(to - from + 1, 100) }, (_, i) => String.fromCodePoint(from + i));
  return to - from < 100 && codes.every((char) => char < '\u0080' || (char.toLowerCase() === char && char.toUpperCase() === char));
}
