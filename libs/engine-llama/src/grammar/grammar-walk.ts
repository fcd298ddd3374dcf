import type { CharSet } from './char-set.js';
import type { Expr, Rules } from './gbnf.js';

/** A stack of pending expressions; shared by all paths with the same continuation. */
export interface Rest {
  readonly id: number;
  readonly head: Expr;
  readonly tail: Rest | null;
  readonly depth: number;
}

const codeOf = (text: string, index: number): number => text.codePointAt(index) ?? 0;
const sizeOf = (code: number): number => (code > 0xffff ? 2 : 1);

const holds = (set: CharSet, code: number): boolean => set.some(([from, to]) => code >= from && code <= to);

/** Follows texts through a grammar like llama.cpp: all paths at once, each a stack of pending expressions. */
export class GrammarWalk {
  readonly #interned = new Map<string, Rest>();
  readonly #ids = new Map<Expr, number>();
  readonly #texts = new Map<string, Expr>();
  /** Number of expanded stacks. */
  work = 0;

  constructor(
    private readonly rules: Rules,
    private readonly root: string,
  ) {}

  /** The stacks before the first character; null among them = the text may end. */
  start(): ReadonlySet<Rest | null> {
    return this.#open([this.#push({ kind: 'rule', name: this.root }, null)]);
  }

  /** The stacks after one more character. */
  after(ways: ReadonlySet<Rest | null>, code: number): ReadonlySet<Rest | null> {
    const next: (Rest | null)[] = [];
    for (const way of ways) {
      if (way === null) continue;
      this.work += 1;
      const { head } = way;
      const takes = head.kind === 'chars' ? holds(head.set, code) : head.kind === 'text' && codeOf(head.text, 0) === code;
      if (takes) next.push(this.behind(way, code));
    }
    return this.#open(next);
  }

  /** Pushes an expression onto a stack. */
  before(head: Expr, tail: Rest | null): Rest | null {
    return this.#push(head, tail);
  }

  /** Expands the head of a stack; null = its head is a character. */
  opened(way: Rest | null): readonly (Rest | null)[] | null {
    return way && this.#expand(way);
  }

  /** The stack after this character. */
  behind({ head, tail }: Rest, code: number): Rest | null {
    return head.kind === 'text' ? this.#push(this.#text(head.text.slice(sizeOf(code))), tail) : tail;
  }

  accepts(text: string): boolean {
    let ways = this.start();
    for (const char of text) ways = this.after(ways, codeOf(char, 0));
    return ways.has(null);
  }

  /** Accepted characters, one per range. */
  choices(ways: ReadonlySet<Rest | null>): ReadonlySet<number> {
    const found = new Set<number>();
    for (const way of ways) {
      if (way?.head.kind === 'text') found.add(codeOf(way.head.text, 0));
      if (way?.head.kind === 'chars') for (const [from] of way.head.set) found.add(from);
    }
    return found;
  }

  /** Expands until the head of each stack is a character. */
  #open(waiting: (Rest | null)[]): ReadonlySet<Rest | null> {
    const seen = new Set<Rest | null>();
    const ready = new Set<Rest | null>();
    for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
      if (seen.has(way)) continue;
      seen.add(way);
      this.work += 1;
      const opened = way && this.#expand(way);
      if (opened === null) ready.add(way);
      else waiting.push(...opened);
    }
    return ready;
  }

  /** Expands the head of a stack; null when it is a character. */
  #expand({ head, tail }: Rest): (Rest | null)[] | null {
    switch (head.kind) {
      case 'text':
        return head.text === '' ? [tail] : null;
      case 'chars':
        return null;
      case 'seq':
        return [head.items.reduceRight((rest, item) => this.#push(item, rest), tail)];
      case 'alt':
        return head.items.map((item) => this.#push(item, tail));
      case 'rule':
        return [this.#push(this.rules.get(head.name) ?? { kind: 'alt', items: [] }, tail)];
      case 'repeat': {
        const { item, min, max } = head;
        if (max === 0) return [tail];
        const again = this.#counted(item, Math.max(0, min - 1), max === null ? null : max - 1);
        const more = this.#push(item, this.#push(again, tail));
        return min === 0 ? [more, tail] : [more];
      }
    }
  }

  #counted(item: Expr, min: number, max: number | null): Expr {
    return this.#shared(`${this.#idOf(item)} ${min} ${max}`, () => ({ kind: 'repeat', item, min, max }));
  }

  #text(value: string): Expr {
    return this.#shared(`"${value}`, () => ({ kind: 'text', text: value }));
  }

  #shared(key: string, make: () => Expr): Expr {
    const known = this.#texts.get(key) ?? make();
    this.#texts.set(key, known);
    return known;
  }

  #push(head: Expr, tail: Rest | null): Rest | null {
    if (head.kind === 'text' && head.text === '') return tail;
    const key = `${this.#idOf(head)} ${tail?.id ?? 0}`;
    const known = this.#interned.get(key);
    if (known) return known;
    const made: Rest = { id: this.#interned.size + 1, head, tail, depth: (tail?.depth ?? 0) + 1 };
    this.#interned.set(key, made);
    return made;
  }

  #idOf(expr: Expr): number {
    const known = this.#ids.get(expr) ?? this.#ids.size + 1;
    this.#ids.set(expr, known);
    return known;
  }
}
