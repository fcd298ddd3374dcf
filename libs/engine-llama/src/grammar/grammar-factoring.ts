import { intersect } from './char-set.js';
import { alt, EMPTY, type Expr, isNever, printExpr, ref, repeat, type Rules, seq, text } from './gbnf.js';
import { Beginnings } from './grammar-beginnings.js';
import type { RuleBook } from './rule-book.js';

/** Beyond this many pending parts, options contain each other endlessly. */
const MAX_PARTS = 40;
const MAX_DEPTH = 200;

class TooMuch extends Error {}

/**
 * Left-factors choices: the common beginning of options is written once, before the choice: `"a" x "b" | "a" x "c"` becomes
 * `"a" x ("b" | "c")`. The language stays the same, but llama.cpp follows one stack instead of one per option on each nesting level. Rules are
 * expanded as far as options begin alike.
 */
export class Factoring {
  /** Choices by their options. */
  readonly #made = new Map<string, Expr>();
  readonly #beginnings: Beginnings;
  /** Bodies of the new rules. */
  readonly #parts = new Map<string, Expr>();
  /** Rules under construction. */
  readonly #open = new Set<string>();

  /**
   * @param rules all rules that choices refer to, without left recursion.
   * @param workLeft most options to expand.
   */
  constructor(
    private readonly book: RuleBook,
    private readonly rules: Rules,
    public workLeft: number,
  ) {
    this.#beginnings = new Beginnings((name) => this.#bodyOf(name));
  }

  /**
   * Left-factors the choice of a rule.
   * @returns the names of the added rules; null = the common beginning is endless or too long, and nothing was changed.
   */
  factor(name: string): readonly string[] | null {
    try {
      this.#parts.set(name, this.#choice(this.#opened(this.#bodyOf(name))));
      for (const [part, body] of this.#parts) this.book.define(part, body);
      return [...this.#parts.keys()];
    } catch (error) {
      if (error instanceof TooMuch) return null;
      throw error;
    }
  }

  #choice(options: readonly Expr[]): Expr {
    const [only = EMPTY] = options;
    if (options.length === 1) return only;
    const distinct = [...new Map(options.flatMap(withoutChoice).map((option) => [printExpr(option), option])).values()];
    return alt(...this.#groups(distinct).map((group) => this.#together(group)));
  }

  /** Options that may begin with the same character. */
  #groups(options: readonly Expr[]): Expr[][] {
    let groups: { chars: ReturnType<Beginnings['of']>['chars']; options: Expr[] }[] = [];
    for (const option of options) {
      const own = { chars: this.#beginnings.of(option).chars, options: [option] };
      const apart = groups.filter(({ chars }) => intersect(chars, own.chars).length === 0);
      const alike = groups.filter((group) => !apart.includes(group));
      const merged = [...alike, own];
      groups = [...apart, { chars: merged.flatMap(({ chars }) => chars), options: merged.flatMap((group) => group.options) }];
    }
    return groups.map((group) => group.options);
  }

  /** Options that begin alike, as a shared rule: the same ones often follow other members too. */
  #together(options: readonly Expr[]): Expr {
    const [only = EMPTY] = options;
    if (options.length === 1) return only;
    const key = options.map(printExpr).toSorted().join(' | ');
    const known = this.#made.get(key);
    if (known) return known;
    this.#spend(options);
    const name = this.book.reserve('alike');
    this.#made.set(key, ref(name));
    this.#open.add(name);
    const body = this.book.lower(this.#joined(options));
    this.#open.delete(name);
    this.#parts.set(name, body);
    // The name is used where the options contain themselves.
    if (body.kind === 'rule') this.#made.set(key, body);
    return body.kind === 'rule' ? body : ref(name);
  }

  #joined(options: readonly Expr[]): Expr {
    const shared = sharedText(options);
    if (shared !== '') return seq(text(shared), this.#choice(options.map((option) => behindText(option, shared.length))));
    const byHead = new Map<string, { readonly head: Expr; readonly tails: Expr[] }>();
    for (const option of options) {
      const { head, tail } = split(option);
      const group = byHead.get(printExpr(head)) ?? { head, tails: [] };
      group.tails.push(tail);
      byHead.set(printExpr(head), group);
    }
    const merged = Array.from(byHead.values(), ({ head, tails }) => ({ head, tail: this.#choice(tails) }));
    const opened = merged.length > 1 ? this.#toOpen(merged.map(({ head }) => head)) : new Set<Expr>();
    if (opened.size === 0) return alt(...merged.map(({ head, tail }) => seq(head, tail)));
    return this.#choice(
      merged.flatMap(({ head, tail }) => (opened.has(head) ? this.#opened(head).map((each) => seq(each, tail)) : [seq(head, tail)])),
    );
  }

  /** The heads to expand: those that begin with another head, or else all. */
  #toOpen(heads: readonly Expr[]): ReadonlySet<Expr> {
    const closed = heads.filter(({ kind }) => kind === 'rule' || kind === 'repeat');
    const names = new Set(closed.map((head) => (head.kind === 'rule' ? head.name : '')));
    const holders = closed.filter((head) => {
      const { rules } = this.#beginnings.of(head);
      return [...names].some((name) => rules.has(name) && !(head.kind === 'rule' && head.name === name));
    });
    return new Set(holders.length > 0 ? holders : closed);
  }

  /** Expansions of a rule, repetition or choice. */
  #opened(expr: Expr): readonly Expr[] {
    this.#spend([expr]);
    if (expr.kind === 'rule') return withoutChoice(this.#bodyOf(expr.name));
    if (expr.kind !== 'repeat') return withoutChoice(expr);
    const { item, min, max } = expr;
    const more = seq(item, repeat(item, Math.max(0, min - 1), max === null ? null : max - 1));
    return min === 0 ? [more, EMPTY] : [more];
  }

  #bodyOf(name: string): Expr {
    // Options that reach themselves without reading a character begin alike endlessly.
    if (this.#open.has(name)) throw new TooMuch();
    return this.#parts.get(name) ?? this.rules.get(name) ?? this.book.rules.get(name) ?? EMPTY;
  }

  #spend(options: readonly Expr[]): void {
    this.workLeft -= options.length;
    const isLong = options.some((option) => option.kind === 'seq' && option.items.length > MAX_PARTS);
    if (this.workLeft < 0 || this.#open.size > MAX_DEPTH || isLong) throw new TooMuch();
  }
}

/** The options of an expression that is a choice, or begins with one. */
function withoutChoice(expr: Expr): readonly Expr[] {
  const { head, tail } = split(expr);
  if (head.kind !== 'alt') return isNever(expr) ? [] : [expr];
  return head.items.flatMap((item) => withoutChoice(seq(item, tail)));
}

function split(expr: Expr): { readonly head: Expr; readonly tail: Expr } {
  if (expr.kind !== 'seq') return { head: expr, tail: EMPTY };
  const [head = EMPTY, ...others] = expr.items;
  return { head, tail: seq(...others) };
}

/** Common prefix of literals, in whole characters. */
function sharedText(options: readonly Expr[]): string {
  const texts = options.map((option) => {
    const { head } = split(option);
    return head.kind === 'text' ? Array.from(head.text) : [];
  });
  const [first = []] = texts;
  let length = 0;
  while (length < first.length && texts.every((chars) => chars[length] === first[length])) length += 1;
  return first.slice(0, length).join('');
}

function behindText(option: Expr, length: number): Expr {
  const { head, tail } = split(option);
  return head.kind === 'text' ? seq(text(head.text.slice(length)), tail) : option;
}
