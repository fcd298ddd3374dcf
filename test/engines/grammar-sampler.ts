import type { Expr, Rules } from '../../libs/engine-llama/src/grammar/gbnf.js';
import type { Random } from './random.js';

/** Texts out of a grammar. */
export class GrammarSampler {
  readonly #heights = new Map<string, number>();
  #fuel = 0;

  constructor(
    private readonly rules: Rules,
    private readonly random: Random,
  ) {
    for (let changed = true; changed;) {
      changed = false;
      for (const [name, expr] of rules) {
        const height = this.#height(expr) + 1;
        if (height >= (this.#heights.get(name) ?? Infinity)) continue;
        this.#heights.set(name, height);
        changed = true;
      }
    }
  }

  /** One text; after `fuel` steps it takes the shortest way out. */
  sample(root: string, fuel: number): string {
    this.#fuel = fuel;
    return this.#write({ kind: 'rule', name: root });
  }

  #write(expr: Expr): string {
    this.#fuel -= 1;
    switch (expr.kind) {
      case 'text':
        return expr.text;
      case 'chars': {
        const [from, to] = this.random.pick(expr.set);
        const code = this.random.pick([from, to, this.random.int(from, to), this.random.int(from, Math.min(to, from + 20))]);
        return String.fromCodePoint(code);
      }
      case 'seq':
        return expr.items.map((item) => this.#write(item)).join('');
      case 'alt':
        return this.#write(this.#fuel > 0 ? this.random.pick(expr.items) : this.#lowest(expr.items));
      case 'repeat': {
        const most = Math.min(expr.max ?? Infinity, expr.min + 3);
        const count = this.#fuel > 0 ? this.random.int(expr.min, most) : expr.min;
        return this.random.times(count, () => this.#write(expr.item)).join('');
      }
      case 'rule': {
        const body = this.rules.get(expr.name);
        if (!body) throw new Error(`The grammar has no rule ${expr.name}.`);
        return this.#write(body);
      }
    }
  }

  #lowest(options: readonly Expr[]): Expr {
    return options.reduce((best, each) => (this.#height(each) < this.#height(best) ? each : best));
  }

  #height(expr: Expr): number {
    switch (expr.kind) {
      case 'text':
      case 'chars':
        return 0;
      case 'seq':
        return Math.max(0, ...expr.items.map((item) => this.#height(item)));
      case 'alt':
        return Math.min(...expr.items.map((item) => this.#height(item)));
      case 'repeat':
        return expr.min === 0 ? 0 : this.#height(expr.item);
      case 'rule':
        return this.#heights.get(expr.name) ?? Infinity;
    }
  }
}
