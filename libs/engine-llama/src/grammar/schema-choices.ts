import { type Expr, isNever, type Rules } from './gbnf.js';
import { circlesOf } from './grammar-circles.js';
import { doublingRules } from './grammar-doubling.js';
import { Factoring } from './grammar-factoring.js';
import type { LeftOut } from './left-out.js';
import type { RuleBook } from './rule-book.js';

/** Most options expanded for the choices of one schema. */
const MAX_WORK = 20_000;

interface Choice {
  /** Pointers of the choice; several where they share a rule. */
  readonly places: Set<string>;
  /** Expression used when the choice is left out. */
  readonly otherwise: () => Expr;
}

/** The choices between schemas of a grammar, each a rule, kept from doubling the readings of a text. */
export class SchemaChoices {
  /** Choices by rule, including rules added by factoring. */
  readonly #all = new Map<string, Choice>();
  /** Choices with indistinguishable options. */
  readonly #endless = new Set<Choice>();

  constructor(
    private readonly book: RuleBook,
    private readonly leftOut: LeftOut,
  ) {}

  /**
   * A choice as a rule.
   * @param at pointer of the choice in the schema.
   * @param otherwise makes the expression used when the choice is left out.
   */
  rule(choice: Expr, at: string, otherwise: () => Expr): Expr {
    if (isNever(choice) || choice.kind !== 'alt') return choice;
    const made = this.book.rule('either', choice);
    if (made.kind !== 'rule') return made;
    const known = this.#all.get(made.name) ?? { places: new Set<string>(), otherwise };
    known.places.add(at);
    this.#all.set(made.name, known);
    return made;
  }

  /**
   * Keeps recursive choices from doubling the readings of a text on each nesting level: they are left-factored, and left out where
   * the readings still double.
   * @param rulesOf the needed rules of the book.
   */
  tame(rulesOf: () => Rules): void {
    this.#factor(rulesOf());
    for (;;) {
      const [first] = [...doublingRules(rulesOf())].flatMap((name) => this.#all.get(name) ?? []);
      if (!first) return;
      this.#leaveOut(first);
    }
  }

  /** Leaves out a choice whose options begin alike endlessly. @returns false where there is none. */
  giveUpOne(): boolean {
    const [first] = this.#endless;
    if (first) this.#leaveOut(first);
    return first !== undefined;
  }

  #factor(rules: Rules): void {
    const circles = circlesOf(rules);
    let work = MAX_WORK;
    for (const [name, choice] of [...this.#all]) {
      if (!circles.has(name)) continue;
      const factoring = new Factoring(this.book, rules, work);
      const parts = factoring.factor(name);
      if (!parts) this.#endless.add(choice);
      for (const part of parts ?? []) this.#all.set(part, choice);
      work = factoring.workLeft;
    }
  }

  #leaveOut(choice: Choice): void {
    this.#endless.delete(choice);
    for (const at of choice.places) this.leftOut.add(at, '');
    for (const [name, each] of this.#all) {
      if (each !== choice) continue;
      this.#all.delete(name);
      this.book.define(name, choice.otherwise());
    }
  }
}
