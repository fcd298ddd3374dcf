import { intersect } from './char-set.js';
import { type Expr, printExpr, type Rules } from './gbnf.js';
import { refsIn } from './grammar-check.js';
import { circlesOf } from './grammar-circles.js';
import { GrammarWalk, type Rest } from './grammar-walk.js';

/** Most pairs of paths checked per grammar and per rule. */
const MAX_PAIRS = 60_000;
const MAX_PAIRS_OF_RULE = 20_000;
/** Steps per round: most pairs part or meet soon, so each is followed a little before any is followed far. */
const ROUNDS = [250, 8_000];
/** Most paths made for these pairs. */
const MAX_IDS = 2 ** 24;

/**
 * Finds recursive rules that some text reaches again by two paths at once: each nesting level then doubles the stacks that llama.cpp
 * follows. From each choice in each recursive rule two paths are followed side by side over all texts that both accept, until they
 * stand before the same part, which leads to the rule again. Every result is proven by a text. Bounded: with too many pairs of paths
 * some rules may not be found.
 */
export function doublingRules(rules: Rules): ReadonlySet<string> {
  const circles = circlesOf(rules);
  const walk = new GrammarWalk(rules, '');
  const found = new Set<string>();
  let left = MAX_PAIRS;
  for (const [name, circle] of circles) {
    const comesBack = (expr: Expr): boolean => [...refsIn(expr)].some((used) => circles.get(used) === circle);
    const search = new PairSearch(walk, comesBack);
    const pairs = choicesIn(rules.get(name) ?? { kind: 'text', text: '' }, null, walk);
    if (search.meets(pairs, Math.min(left, MAX_PAIRS_OF_RULE))) found.add(name);
    left -= search.work;
  }
  return found;
}

type Pair = readonly [Rest | null, Rest | null];

/** The paths that part in a rule: at each choice and each repetition. */
function* choicesIn(expr: Expr, tail: Rest | null, walk: GrammarWalk): Generator<Pair> {
  if (expr.kind === 'seq') {
    for (const [i, item] of expr.items.entries()) {
      const behind = expr.items.slice(i + 1).reduceRight((rest, next) => walk.before(next, rest), tail);
      yield* choicesIn(item, behind, walk);
    }
  }
  if (expr.kind === 'alt') {
    for (const [i, item] of expr.items.entries()) {
      for (const other of expr.items.slice(i + 1)) yield [walk.before(item, tail), walk.before(other, tail)];
      yield* choicesIn(item, tail, walk);
    }
  }
  if (expr.kind === 'repeat') {
    const [again, end] = walk.opened(walk.before(expr, tail)) ?? [];
    if (again && end !== undefined) yield [again, end];
    if (again) yield* choicesIn(expr.item, again.tail, walk);
  }
}

class PairSearch {
  readonly #seen = new Set<number>();
  work = 0;

  constructor(
    private readonly walk: GrammarWalk,
    private readonly comesBack: (expr: Expr) => boolean,
  ) {}

  /** True when both paths of some pair reach the same recursive part. */
  meets(pairs: Iterable<Pair>, most: number): boolean {
    let open = Array.from(pairs, (pair) => [pair]);
    for (const steps of ROUNDS) {
      for (const waiting of open) if (this.#follow(waiting, Math.min(steps, most - this.work))) return true;
      open = open.filter((waiting) => waiting.length > 0);
    }
    return false;
  }

  #follow(waiting: Pair[], steps: number): boolean {
    const end = this.work + steps;
    let next = 0;
    for (; next < waiting.length && this.work < end; next += 1) {
      const [a, b] = waiting[next] ?? [null, null];
      // Merged paths stay merged, and what follows the rule does not lead back to it.
      if (a === b || a === null || b === null || this.#isKnown(a, b)) continue;
      this.work += 1;
      if (printExpr(a.head) !== printExpr(b.head)) waiting.push(...this.#next(a, b));
      else if (this.comesBack(a.head)) return true;
      else waiting.push([a.tail, b.tail]);
    }
    waiting.splice(0, next);
    return false;
  }

  #isKnown(a: Rest, b: Rest): boolean {
    const key = Math.min(a.id, b.id) * MAX_IDS + Math.max(a.id, b.id);
    const known = this.#seen.has(key);
    this.#seen.add(key);
    return known;
  }

  #next(a: Rest, b: Rest): Pair[] {
    const [ofA, ofB] = [this.walk.opened(a), this.walk.opened(b)];
    if (!ofA && !ofB) return this.#behindSame(a, b);
    // The other path may reach a recursive part as a whole, so each path is also opened alone.
    const isFirst = ofA !== null && !this.comesBack(a.head);
    const isOther = !isFirst && ofB !== null && !this.comesBack(b.head);
    const openA = isOther ? [] : (ofA ?? []);
    const openB = isFirst ? [] : (ofB ?? []);
    return [...openA.map((way): Pair => [way, b]), ...openB.map((way): Pair => [a, way])];
  }

  #behindSame(a: Rest, b: Rest): Pair[] {
    let pair: Pair | null = null;
    let [wayA, wayB]: Pair = [a, b];
    for (let code = sharedCode(a.head, b.head); code !== null && wayA && wayB; code = sharedCode(wayA.head, wayB.head)) {
      [wayA, wayB] = [this.walk.behind(wayA, code), this.walk.behind(wayB, code)];
      pair = [wayA, wayB];
      if (wayA === wayB || wayA?.head.kind !== 'text' || wayB?.head.kind !== 'text') break;
    }
    return pair ? [pair] : [];
  }
}

/** A character in both sets. */
function sharedCode(a: Expr, b: Expr): number | null {
  const setOf = (expr: Expr): readonly (readonly [number, number])[] => {
    if (expr.kind === 'chars') return expr.set;
    const code = expr.kind === 'text' ? expr.text.codePointAt(0) : undefined;
    return code === undefined ? [] : [[code, code]];
  };
  return intersect(setOf(a), setOf(b))[0]?.[0] ?? null;
}
