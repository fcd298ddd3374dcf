import { CompileBudget } from './compile-budget.js';
import { alt, EMPTY, type Expr, printExpr, ref, repeat, type Rules, seq } from './gbnf.js';

/** Repetitions up to this count are left to llama.cpp, which expands them. */
const PLAIN_COUNT = 64;

/**
 * Collects the rules of a grammar. Equal bodies share one rule, and repetitions of any count take few rules: `x{0,1000000000}` takes
 * about 60.
 */
export class RuleBook {
  readonly #rules = new Map<string, Expr>();
  readonly #names = new Map<string, number>();
  readonly #byBody = new Map<string, string>();
  readonly #counted = new Map<string, Expr>();
  readonly #lowered = new WeakMap<Expr, Expr>();

  /** @param prefix of every rule's name: letters, digits and `-`. */
  constructor(
    private readonly prefix: string,
    private readonly budget = new CompileBudget(),
  ) {}

  get rules(): Rules {
    return this.#rules;
  }

  /** Reserves a name that begins with `hint`, to be filled by `define`, so that rules can be recursive. */
  reserve(hint: string): string {
    const base = this.prefix + hint.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
    let name = base;
    let count = this.#names.get(base) ?? 1;
    for (; this.#rules.has(name); count += 1) name = `${base}-${count + 1}`;
    this.#names.set(base, count);
    this.#rules.set(name, EMPTY);
    this.budget.rule();
    return name;
  }

  define(name: string, expr: Expr): Expr {
    const body = this.lower(expr);
    this.budget.chars(name.length + printExpr(body).length);
    this.#rules.set(name, body);
    return ref(name);
  }

  /** A rule with this body, new or existing. */
  rule(hint: string, expr: Expr): Expr {
    if (expr.kind === 'rule') return expr;
    const body = this.lower(expr);
    const key = printExpr(body);
    const known = this.#byBody.get(key);
    if (known !== undefined) return ref(known);
    const name = this.reserve(hint);
    this.#byBody.set(key, name);
    return this.define(name, body);
  }

  /** The same language in a form for llama.cpp: only characters and rules are repeated, and never empty ones. */
  lower(expr: Expr): Expr {
    const lowered = this.#lowered.get(expr) ?? this.#lower(expr);
    this.#lowered.set(expr, lowered);
    this.#lowered.set(lowered, lowered);
    return lowered;
  }

  #lower(expr: Expr): Expr {
    if (expr.kind === 'seq') return seq(...expr.items.map((item) => this.lower(item)));
    if (expr.kind === 'alt') return alt(...expr.items.map((item) => this.lower(item)));
    if (expr.kind !== 'repeat') return expr;
    if (this.#nullable(expr.item)) return this.lower(repeat(this.#nonEmpty(expr.item), 0, expr.max));
    const item = this.lower(expr.item);
    return this.#repeat(item.kind === 'chars' ? item : this.rule('item', item), expr.min, expr.max);
  }

  #repeat(unit: Expr, min: number, max: number | null): Expr {
    if (max === null) return seq(this.#exactly(unit, min), repeat(unit, 0, null));
    if (max <= PLAIN_COUNT) return repeat(unit, min, max);
    return seq(this.#exactly(unit, min), this.#upTo(unit, max - min));
  }

  #exactly(unit: Expr, count: number): Expr {
    if (count <= PLAIN_COUNT) return repeat(unit, count, count);
    const half = this.rule('times', this.#exactly(unit, Math.floor(count / 2)));
    return count % 2 === 0 ? seq(half, half) : seq(half, half, unit);
  }

  /** Fewer than `step`, or `step` and more: each count has one derivation, so llama.cpp follows few stacks. */
  #upTo(unit: Expr, count: number): Expr {
    if (count <= PLAIN_COUNT) return repeat(unit, 0, count);
    const key = `${printExpr(unit)} ${count}`;
    const known = this.#counted.get(key);
    if (known) return known;
    let step = PLAIN_COUNT;
    while (step <= count / 2) step *= 2;
    const made = this.rule('up-to', alt(this.#upTo(unit, step - 1), seq(this.#exactly(unit, step), this.#upTo(unit, count - step))));
    this.#counted.set(key, made);
    return made;
  }

  #nullable(expr: Expr): boolean {
    switch (expr.kind) {
      case 'text':
        return expr.text === '';
      case 'chars':
        return false;
      case 'seq':
        return expr.items.every((item) => this.#nullable(item));
      case 'alt':
        return expr.items.some((item) => this.#nullable(item));
      case 'repeat':
        return expr.min === 0 || this.#nullable(expr.item);
      case 'rule':
        return this.#nullable(this.#rules.get(expr.name) ?? EMPTY);
    }
  }

  /** A sequence of possibly empty parts without the empty text: some part is the first non-empty one. */
  #someOf(items: readonly Expr[]): Expr {
    let [rest, some] = [EMPTY, alt()];
    for (const item of items.toReversed()) {
      some = this.rule('some', alt(seq(this.#nonEmpty(item), rest), some));
      rest = this.rule('then', seq(item, rest));
    }
    return some;
  }

  /** `expr` without the empty text. */
  #nonEmpty(expr: Expr): Expr {
    if (!this.#nullable(expr)) return expr;
    switch (expr.kind) {
      case 'seq':
        return this.#someOf(expr.items);
      case 'alt':
        return alt(...expr.items.map((item) => this.#nonEmpty(item)));
      case 'repeat':
        return repeat(this.#nonEmpty(expr.item), 1, expr.max);
      case 'rule':
        return this.#nonEmpty(this.#rules.get(expr.name) ?? EMPTY);
      case 'text':
      case 'chars':
        return alt();
    }
  }
}
