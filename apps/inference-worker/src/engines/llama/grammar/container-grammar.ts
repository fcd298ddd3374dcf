import { alt, EMPTY, type Expr, isNever, NEVER, optional, repeat, seq, text } from './gbnf.js';
import { COLON, COMMA, jsonLiteral, jsonObject, jsonString, otherString } from './json-text.js';
import type { RuleBook } from './rule-book.js';

/** What an object may hold. Members come in this order. */
export interface ObjectForm {
  readonly members: readonly { readonly name: string; readonly value: Expr; readonly required: boolean }[];
  /** The value of members that are not listed; null = there are none. */
  readonly others: Expr | null;
  /** The members that are not listed may be anything. */
  readonly anyOthers: boolean;
}

/** A JSON object of that form. */
export function objectGrammar(book: RuleBook, { members, others, anyOthers }: ObjectForm): Expr {
  const possible = members.filter(({ value }) => !isNever(value));
  if (members.some(({ value, required }) => required && isNever(value))) return NEVER;
  if (anyOthers && members.length === 0) return jsonObject(book);
  const other = otherMember(book, members, others);
  // Both are the rest of the object from some member on: `later` where a member stands before it, `first` where none does.
  let later = other ? repeat(seq(COMMA, other), 0, null) : EMPTY;
  let first = other ? optional(seq(other, later)) : EMPTY;
  for (const { name, value, required } of possible.toReversed()) {
    const member = seq(jsonLiteral(name), COLON, value);
    const begun = seq(member, later);
    first = required ? begun : book.rule('first', alt(begun, first));
    later = required ? seq(COMMA, begun) : book.rule('more', alt(seq(COMMA, begun), later));
  }
  return seq(text('{'), first, text('}'));
}

function otherMember(book: RuleBook, members: ObjectForm['members'], value: Expr | null): Expr | null {
  if (value === null || isNever(value)) return null;
  const names = members.map(({ name }) => name);
  return seq(names.length > 0 ? otherString(book, names) : jsonString(book), COLON, value);
}

/** What an array may hold: `items` in their places, then any number of `rest`; null = no more. */
export interface ArrayForm {
  readonly items: readonly Expr[];
  readonly rest: Expr | null;
  readonly min: number;
  readonly max: number | null;
}

/** A JSON array of that form. */
export function arrayGrammar(book: RuleBook, form: ArrayForm): Expr {
  const { min } = form;
  const impossible = form.items.findIndex(isNever);
  const items = impossible === -1 ? form.items : form.items.slice(0, impossible);
  const rest = impossible === -1 && form.rest !== null && !isNever(form.rest) ? form.rest : null;
  const max = rest === null ? Math.min(form.max ?? items.length, items.length) : form.max;
  if (max !== null && min > max) return NEVER;
  return seq(text('['), elements(book, { items, rest, min, max }), text(']'));
}

function elements(book: RuleBook, { items, rest, min, max }: ArrayForm): Expr {
  const placed = items.slice(0, max ?? items.length);
  const needed = (index: number): boolean => index < min;
  const more = rest === null ? EMPTY : repeat(seq(COMMA, rest), Math.max(0, min - Math.max(placed.length, 1)), left(max, placed.length));
  if (placed.length === 0) {
    if (rest === null || max === 0) return EMPTY;
    const some = seq(rest, more);
    return needed(0) ? some : optional(some);
  }
  let tail = more;
  for (let index = placed.length - 1; index >= 1; index -= 1) {
    const next = seq(COMMA, placed[index] ?? NEVER, tail);
    tail = needed(index) ? next : book.rule('rest', optional(next));
  }
  const all = seq(placed[0] ?? NEVER, tail);
  return needed(0) ? all : optional(all);
}

const left = (max: number | null, placed: number): number | null => (max === null ? null : max - Math.max(placed, 1));
