import { alt, EMPTY, type Expr, seq, text } from './gbnf.js';
import type { RuleBook } from './rule-book.js';

/** Depth of branches, after which texts are written as alternatives. */
const MAX_DEPTH = 100;

/**
 * One of several texts as a prefix tree: llama.cpp follows each alternative separately, thousands of them for each token of its
 * vocabulary.
 */
export function textChoice(book: RuleBook, texts: readonly string[]): Expr {
  return branch(book, [...new Set(texts)].map((each) => Array.from(each)).toSorted(byText), 0);
}

const byText = (a: readonly string[], b: readonly string[]): number => (a.join('') < b.join('') ? -1 : 1);

/** @param sorted texts in order, so that equal prefixes are adjacent. */
function branch(book: RuleBook, sorted: readonly (readonly string[])[], depth: number): Expr {
  if (sorted.length === 1 || depth > MAX_DEPTH) return alt(...sorted.map((chars) => text(chars.join(''))));
  const options: Expr[] = [];
  for (let from = 0; from < sorted.length;) {
    const first = sorted[from]?.[0];
    let to = from + 1;
    while (to < sorted.length && sorted[to]?.[0] === first) to += 1;
    options.push(first === undefined ? EMPTY : group(book, sorted.slice(from, to), depth));
    from = to;
  }
  return options.length > 1 && depth > 0 ? book.rule('choice', alt(...options)) : alt(...options);
}

/** Texts with the same first character. */
function group(book: RuleBook, texts: readonly (readonly string[])[], depth: number): Expr {
  const [shortest = []] = texts;
  let shared = 1;
  while (shared < shortest.length && texts.every((chars) => chars[shared] === shortest[shared])) shared += 1;
  const rest = texts.map((chars) => chars.slice(shared));
  return seq(text(shortest.slice(0, shared).join('')), branch(book, rest, depth + 1));
}
