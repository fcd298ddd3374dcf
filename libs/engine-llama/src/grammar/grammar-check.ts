import { alt, type Expr, NEVER, repeat, type Rules, seq } from './gbnf.js';

/** Most steps in llama.cpp's search for left recursion along every path; more take seconds. */
const MAX_LEFT_STEPS = 1_000_000;
/** Most rules that begin with each other; llama.cpp recurses for each. */
const MAX_LEFT_DEPTH = 2_000;

/** Why a grammar must not be given to llama.cpp. */
export interface GrammarFault {
  readonly kind: 'undefined' | 'endless' | 'left-recursive' | 'ambiguous';
  readonly rule: string;
}

/** The rules used in an expression, once per use. */
export function* refsIn(expr: Expr): Generator<string> {
  if (expr.kind === 'rule') yield expr.name;
  if (expr.kind === 'seq' || expr.kind === 'alt') for (const item of expr.items) yield* refsIn(item);
  if (expr.kind === 'repeat') yield* refsIn(expr.item);
}

/** The rules that `root` needs, itself first. */
export function reachableRules(rules: Rules, root: string): Rules {
  const found = new Map<string, Expr>();
  const waiting = [root];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const expr = rules.get(name);
    if (expr === undefined || found.has(name)) continue;
    found.set(name, expr);
    waiting.push(...refsIn(expr));
  }
  return found;
}

/** Names of the rules for which `holds` becomes true (fixed point). */
function fixpoint(rules: Rules, holds: (expr: Expr, known: ReadonlySet<string>) => boolean): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const [name, expr] of rules) {
    for (const used of new Set(refsIn(expr))) {
      const list = users.get(used) ?? [];
      list.push(name);
      users.set(used, list);
    }
  }
  const known = new Set<string>();
  const waiting = [...rules.keys()];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const expr = rules.get(name);
    if (expr === undefined || known.has(name) || !holds(expr, known)) continue;
    known.add(name);
    waiting.push(...(users.get(name) ?? []));
  }
  return known;
}

function nullable(expr: Expr, known: ReadonlySet<string>): boolean {
  switch (expr.kind) {
    case 'text':
      return expr.text === '';
    case 'chars':
      return false;
    case 'seq':
      return expr.items.every((item) => nullable(item, known));
    case 'alt':
      return expr.items.some((item) => nullable(item, known));
    case 'repeat':
      return expr.min === 0 || nullable(expr.item, known);
    case 'rule':
      return known.has(expr.name);
  }
}

/** Whether it repeats something that may be empty: llama.cpp makes that a left-recursive rule. */
function repeatsNothing(expr: Expr, empty: ReadonlySet<string>): boolean {
  if (expr.kind === 'seq' || expr.kind === 'alt') return expr.items.some((item) => repeatsNothing(item, empty));
  if (expr.kind !== 'repeat') return false;
  return (expr.max !== 1 && nullable(expr.item, empty)) || repeatsNothing(expr.item, empty);
}

/** Whether the expression matches some finite text. */
function productive(expr: Expr, known: ReadonlySet<string>): boolean {
  switch (expr.kind) {
    case 'text':
      return true;
    case 'chars':
      return expr.set.length > 0;
    case 'seq':
      return expr.items.every((item) => productive(item, known));
    case 'alt':
      return expr.items.some((item) => productive(item, known));
    case 'repeat':
      return expr.min === 0 || productive(expr.item, known);
    case 'rule':
      return known.has(expr.name);
  }
}

/** Removes rules that match no finite text. */
function pruned(expr: Expr, ending: ReadonlySet<string>): Expr {
  switch (expr.kind) {
    case 'text':
    case 'chars':
      return expr;
    case 'seq':
      return seq(...expr.items.map((item) => pruned(item, ending)));
    case 'alt':
      return alt(...expr.items.map((item) => pruned(item, ending)));
    case 'repeat':
      return repeat(pruned(expr.item, ending), expr.min, expr.max);
    case 'rule':
      return ending.has(expr.name) ? expr : NEVER;
  }
}

/** Removes impossible optional parts, so that every rule matches some text if `root` does. */
export function possibleRules(rules: Rules, root: string): Rules {
  const ending = fixpoint(rules, productive);
  if (!ending.has(root) || ending.size === rules.size) return rules;
  const possible = Array.from(rules).filter(([name]) => ending.has(name));
  return reachableRules(new Map(possible.map(([name, expr]) => [name, pruned(expr, ending)])), root);
}

/** The rules with which an expression may begin, once per path. */
function* leftRefs(expr: Expr, empty: ReadonlySet<string>): Generator<string> {
  switch (expr.kind) {
    case 'rule':
      yield expr.name;
      return;
    case 'alt':
      for (const item of expr.items) yield* leftRefs(item, empty);
      return;
    case 'repeat':
      yield* leftRefs(expr.item, empty);
      return;
    case 'seq':
      for (const item of expr.items) {
        yield* leftRefs(item, empty);
        if (!nullable(item, empty)) return;
      }
      return;
    case 'text':
    case 'chars':
  }
}

/** Counts steps and depth of a walk along all paths of rules that begin with each other. */
class LeftPaths {
  readonly #costs = new Map<string, { readonly steps: number; readonly depth: number }>();
  readonly #walking = new Set<string>();

  constructor(
    private readonly rules: Rules,
    private readonly empty: ReadonlySet<string>,
  ) {}

  cost(name: string): { readonly steps: number; readonly depth: number } | GrammarFault {
    const known = this.#costs.get(name);
    if (known) return known;
    if (this.#walking.has(name)) return { kind: 'left-recursive', rule: name };
    if (this.#walking.size > MAX_LEFT_DEPTH) return { kind: 'ambiguous', rule: name };
    this.#walking.add(name);
    let [steps, depth] = [1, 1];
    for (const next of leftRefs(this.rules.get(name) ?? { kind: 'text', text: '' }, this.empty)) {
      const below = this.cost(next);
      if ('kind' in below) return below;
      steps += below.steps;
      depth = Math.max(depth, below.depth + 1);
    }
    this.#walking.delete(name);
    if (steps > MAX_LEFT_STEPS || depth > MAX_LEFT_DEPTH) return { kind: 'ambiguous', rule: name };
    this.#costs.set(name, { steps, depth });
    return { steps, depth };
  }
}

/**
 * Finds faults for which llama.cpp aborts, hangs or stops in the middle of a text, and which it checks only in part: undefined rules,
 * endless rules, left recursion, and rules that begin with each other in too many ways.
 */
export function faultOf(rules: Rules): GrammarFault | null {
  for (const expr of rules.values()) {
    for (const name of refsIn(expr)) if (!rules.has(name)) return { kind: 'undefined', rule: name };
  }
  const ending = fixpoint(rules, productive);
  for (const name of rules.keys()) if (!ending.has(name)) return { kind: 'endless', rule: name };
  const empty = fixpoint(rules, nullable);
  for (const [name, expr] of rules) if (repeatsNothing(expr, empty)) return { kind: 'left-recursive', rule: name };
  const paths = new LeftPaths(rules, empty);
  let total = 0;
  for (const name of rules.keys()) {
    const cost = paths.cost(name);
    if ('kind' in cost) return cost;
    total += cost.steps;
    if (total > MAX_LEFT_STEPS) return { kind: 'ambiguous', rule: name };
  }
  return null;
}
