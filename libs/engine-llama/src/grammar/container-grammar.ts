import { alt, EMPTY, type Expr, isNever, NEVER, optional, repeat, seq, text } from './gbnf.js';
import { COLON, COMMA, jsonLiteral, jsonObject } from './json-text.js';
import type { RuleBook } from './rule-book.js';

/** Most required members in one rule. */
const MAX_INLINE = 8;

/** Members of an object, in this order. */
export interface ObjectForm {
  readonly members: readonly { readonly name: string; readonly value: Expr; readonly required: boolean }[];
  /** Rule of unlisted members, name and value; null = none. */
  readonly others: Expr | null;
  /** Whether unlisted members may have any value. */
  readonly anyOthers: boolean;
  /** Most members; null = unlimited. */
  readonly min: number;
  readonly max: number | null;
}

/** Expression of a JSON object. */
export function objectGrammar(book: RuleBook, form: ObjectForm): Expr {
  if (form.anyOthers && form.members.length === 0 && form.min === 0 && form.max === null) return jsonObject(book);
  if (form.members.some(({ value, required }) => required && isNever(value))) return NEVER;
  return seq(text('{'), new MemberList(book, form).whole(), text('}'));
}

/** Steps for counting the members of an object. */
export const countingSteps = (members: number, { min, max }: Pick<ObjectForm, 'min' | 'max'>): number => members * (1 + capOf(min, max));

/** Members are counted up to this number. */
const capOf = (min: number, max: number | null): number => max ?? Math.max(min, 1);

/** Builds the members of an object from the last to the first. `tails[count]` = what may follow after `count` members. */
class MemberList {
  readonly #members: ObjectForm['members'];
  readonly #cap: number;

  constructor(
    private readonly book: RuleBook,
    private readonly form: ObjectForm,
  ) {
    this.#members = form.members.filter(({ value }) => !isNever(value));
    this.#cap = capOf(form.min, form.max);
  }

  whole(): Expr {
    let tails = Array.from({ length: this.#cap + 1 }, (_, count) => this.#others(count));
    let inlined = 0;
    for (const { name, value, required } of this.#members.toReversed()) {
      inlined = required ? inlined + 1 : 0;
      const closes = !required || inlined % MAX_INLINE === 0;
      const member = seq(jsonLiteral(name), COLON, value);
      tails = tails.map((without, count) => this.#before(member, tails, { count, without: required ? NEVER : without, closes }));
    }
    return tails[0] ?? NEVER;
  }

  #before(
    member: Expr,
    tails: readonly Expr[],
    { count, without, closes }: { readonly count: number; readonly without: Expr; readonly closes: boolean },
  ): Expr {
    const isFull = this.form.max !== null && count >= this.form.max;
    const behind = tails[Math.min(count + 1, this.#cap)] ?? NEVER;
    const written = isFull ? NEVER : seq(...(count > 0 ? [COMMA] : []), member, behind);
    const both = alt(written, without);
    return closes && !isNever(both) ? this.book.rule(count > 0 ? 'more' : 'first', both) : both;
  }

  /** Unlisted members after `count` members. */
  #others(count: number): Expr {
    const { others, min, max } = this.form;
    const least = Math.max(0, min - count);
    const most = max === null ? null : max - count;
    if (others === null || isNever(others) || most === 0) return least > 0 ? NEVER : EMPTY;
    const next = this.book.rule('next', seq(COMMA, others));
    if (count > 0) return repeat(next, least, most);
    const some = seq(others, repeat(next, Math.max(0, least - 1), most === null ? null : most - 1));
    return least > 0 ? some : optional(some);
  }
}

/** Elements of an array: `items` in order, then any number of `rest`; null = none. */
export interface ArrayForm {
  readonly items: readonly Expr[];
  readonly rest: Expr | null;
  readonly min: number;
  readonly max: number | null;
}

/** Expression of a JSON array. */
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
  const tail = placed.slice(1).reduceRight((behind, item, i) => placedBehind(book, seq(COMMA, item, behind), i + 1, needed(i + 1)), more);
  const all = seq(placed[0] ?? NEVER, tail);
  return needed(0) ? all : optional(all);
}

/** An element and everything after it. */
function placedBehind(book: RuleBook, next: Expr, index: number, isNeeded: boolean): Expr {
  if (isNeeded && index % MAX_INLINE > 0) return next;
  return book.rule('rest', isNeeded ? next : optional(next));
}

const left = (max: number | null, placed: number): number | null => (max === null ? null : max - Math.max(placed, 1));

/** An array of distinct values: one rule for each set of values written before. */
export function distinctValues(book: RuleBook, values: readonly Expr[], { min, max }: Pick<ArrayForm, 'min' | 'max'>): Expr {
  const most = Math.min(max ?? values.length, values.length);
  const made = new Map<number, Expr>();
  const behind = (used: number, count: number): Expr => {
    const known = made.get(used);
    if (known) return known;
    const ways = count >= most ? [] : values.flatMap((value, i) => (used & (1 << i) ? [] : [way(value, used | (1 << i), count)]));
    const all = alt(...ways, ...(count >= min ? [EMPTY] : []));
    const expr = isNever(all) ? NEVER : book.rule('set', all);
    made.set(used, expr);
    return expr;
  };
  const way = (value: Expr, used: number, count: number): Expr => seq(...(count > 0 ? [COMMA] : []), value, behind(used, count + 1));
  return seq(text('['), behind(0, 0), text(']'));
}
