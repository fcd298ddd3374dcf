import { type CharSet, charSet, charsOf, complement, intersect } from './char-set.js';
import { alt, chars, EMPTY, type Expr, optional, ref, repeat, seq, text } from './gbnf.js';
import type { RuleBook } from './rule-book.js';

/** Characters that a JSON string contains unescaped. */
const PLAIN: CharSet = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10ffff],
];
/** Characters of a JSON string, unescaped or escaped. llama.cpp cannot write NUL unescaped. */
export const TEXT_ALPHABET: CharSet = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];
const ESCAPED = charSet([0x00, 0x1f], [0x22, 0x22], [0x5c, 0x5c]);
const DIGIT = chars([[0x30, 0x39]]);
const FROM_ONE = chars([[0x31, 0x39]]);
const HEX = chars(charsOf('0123456789abcdefABCDEF'));
const QUOTE = text('"');

/** Digits of an integer without bounds: all of them fit 64 bits. */
export const INTEGER_DIGITS = 18;

/** An optional blank. More white space is not allowed, so that a model cannot fill an answer with it. */
const GAP = optional(text(' '));
/** Comma between members or elements. */
export const COMMA = seq(text(','), GAP);
/** Colon between a name and its value. */
export const COLON = seq(text(':'), GAP);

/** A value as compact JSON in exactly one form. */
export const jsonLiteral = (value: unknown): Expr => text(JSON.stringify(value));

/** One character of the set in a JSON string, in the form of `JSON.stringify` only. */
export function jsonChars(set: CharSet): Expr {
  const escapes: string[] = [];
  for (const [from, to] of intersect(set, ESCAPED)) {
    for (let code = from; code <= to; code += 1) escapes.push(JSON.stringify(String.fromCodePoint(code)).slice(2, -1));
  }
  const letters = escapes.filter((escape) => escape.length === 1).join('');
  const coded = ['u000', 'u001'].map((start) => {
    const digits = escapes.filter((escape) => escape.startsWith(start)).map((escape) => escape.slice(-1));
    return seq(text(start), chars(charsOf(digits.join(''))));
  });
  return alt(chars(intersect(set, PLAIN)), seq(text('\\'), alt(chars(charsOf(letters)), ...coded)));
}

function escapeSequence(book: RuleBook): Expr {
  const nibbles = (count: number): Expr => repeat(HEX, count, count);
  const d = chars(charsOf('dD'));
  const unit = alt(
    seq(chars(charsOf('0123456789abcefABCEF')), nibbles(3)),
    seq(d, chars(charsOf('01234567')), nibbles(2)),
    seq(d, chars(charsOf('89abAB')), nibbles(2), text('\\u'), d, chars(charsOf('cdefCDEF')), nibbles(2)),
  );
  return book.rule('escape', seq(text('\\'), alt(chars(charsOf('"\\/bfnrt')), seq(text('u'), unit))));
}

/** Any character in a JSON string, in any form; a pair of surrogate escapes is one character. */
const anyChar = (book: RuleBook): Expr => book.rule('char', alt(chars(PLAIN), escapeSequence(book)));

const strings = new WeakMap<RuleBook, Map<string, Expr>>();

/** A JSON string of `min` to `max` characters (code points). */
export function jsonString(book: RuleBook, min = 0, max: number | null = null): Expr {
  const known = strings.get(book) ?? new Map<string, Expr>();
  strings.set(book, known);
  const key = `${min} ${max}`;
  const made = known.get(key) ?? book.rule('string', seq(QUOTE, repeat(anyChar(book), min, max), QUOTE));
  known.set(key, made);
  return made;
}

/** A JSON string around escaped `content`. */
export const quoted = (content: Expr): Expr => seq(QUOTE, content, QUOTE);

/** An integer without bounds, of at most 18 digits and without an exponent. */
export const jsonInteger = (book: RuleBook): Expr =>
  book.rule('integer', alt(text('0'), seq(optional(text('-')), FROM_ONE, repeat(DIGIT, 0, INTEGER_DIGITS - 1))));

/** A number within the range of doubles: 21 digits before the point, as in JavaScript, and exponents up to 307. */
export function jsonNumber(book: RuleBook): Expr {
  const decimals = (most: number): Expr => optional(seq(text('.'), repeat(DIGIT, 1, most)));
  const plain = seq(alt(text('0'), seq(FROM_ONE, repeat(DIGIT, 0, 20))), decimals(24));
  const power = alt(
    seq(repeat(text('0'), 0, 1), FROM_ONE),
    seq(FROM_ONE, DIGIT),
    seq(chars(charsOf('12')), DIGIT, DIGIT),
    seq(text('30'), chars(charsOf('01234567'))),
  );
  const exponent = alt(seq(optional(text('+')), power), seq(text('-'), repeat(DIGIT, 1, 3)));
  const scientific = seq(FROM_ONE, decimals(17), chars(charsOf('eE')), exponent);
  return book.rule('number', seq(optional(text('-')), alt(plain, scientific)));
}

/** Members or elements with commas between them, or none. */
const list = (open: string, item: Expr, close: string, book: RuleBook): Expr =>
  seq(text(open), alt(seq(item, repeat(book.rule('next', seq(COMMA, item)), 0, null)), EMPTY), text(close));

const containers = new WeakMap<RuleBook, { readonly value: Expr; readonly object: Expr; readonly array: Expr }>();

function anything(book: RuleBook): { readonly value: Expr; readonly object: Expr; readonly array: Expr } {
  const known = containers.get(book);
  if (known) return known;
  const names = { value: book.reserve('value'), object: book.reserve('object'), array: book.reserve('array') };
  const made = { value: ref(names.value), object: ref(names.object), array: ref(names.array) };
  containers.set(book, made);
  const member = book.rule('member', seq(jsonString(book), COLON, made.value));
  book.define(names.object, list('{', member, '}', book));
  book.define(names.array, list('[', made.value, ']', book));
  const words = [text('true'), text('false'), text('null')];
  book.define(names.value, alt(made.object, made.array, jsonString(book), jsonNumber(book), ...words));
  return made;
}

/** Any JSON value. */
export const jsonValue = (book: RuleBook): Expr => anything(book).value;
/** Any JSON object. */
export const jsonObject = (book: RuleBook): Expr => anything(book).object;
/** Any JSON array. */
export const jsonArray = (book: RuleBook): Expr => anything(book).array;

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  ends: boolean;
}

function trieOf(names: readonly string[]): TrieNode {
  const root: TrieNode = { next: new Map(), ends: false };
  for (const name of names) {
    let node = root;
    for (const char of name) {
      const code = char.codePointAt(0) ?? 0;
      const next = node.next.get(code) ?? { next: new Map<number, TrieNode>(), ends: false };
      node.next.set(code, next);
      node = next;
    }
    node.ends = true;
  }
  return root;
}

/** A JSON string other than `names`, in the form of names. */
export function otherString(book: RuleBook, names: readonly string[]): Expr {
  const all: CharSet = [[0, 0x10ffff]];
  const canonical = book.rule('name-char', jsonChars(all));
  const from = ({ next, ends }: TrieNode): Expr => {
    const taken = charSet(...[...next.keys()].map((code): [number, number] => [code, code]));
    const elsewhere = seq(jsonChars(complement(taken)), repeat(canonical, 0, null));
    const along = [...next].map(([code, node]) => seq(jsonChars([[code, code]]), from(node)));
    const options = alt(elsewhere, ...along);
    return book.rule('other', ends ? options : alt(options, EMPTY));
  };
  return seq(QUOTE, from(trieOf(names)), QUOTE);
}
