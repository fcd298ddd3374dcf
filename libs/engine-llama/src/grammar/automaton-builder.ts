import { type Automaton, combine, explore } from './automaton.js';
import { type CharSet } from './char-set.js';
import type { Expr } from './gbnf.js';
import { ANY } from './regex-classes.js';
import { type Lookahead, type RegexBranch, regexBranches } from './regex-reader.js';

const MAX_NODES = 4_000;
/** Most nodes, over all node sets, in one determinization. */
const MAX_WORK = 400_000;

class TooLarge extends Error {}

interface Node {
  readonly free: number[];
  readonly steps: { readonly set: CharSet; readonly to: number }[];
}

/** A nondeterministic automaton under construction; node 1 is its end. */
class Draft {
  readonly #nodes: Node[] = [];
  #work = 0;
  readonly start = this.#node();
  readonly end = this.#node();

  /** Adds an expression without rules between two nodes. */
  add(expr: Expr, from: number, to: number): void {
    switch (expr.kind) {
      case 'text':
        return this.#text(expr.text, from, to);
      case 'chars':
        this.#nodes[from]?.steps.push({ set: expr.set, to });
        return;
      case 'seq':
        return this.#chain(expr.items, from, to);
      case 'alt':
        for (const item of expr.items) this.add(item, from, to);
        return;
      case 'repeat':
        return this.#repeat(expr, from, to);
      case 'rule':
        throw new Error('Rules have no automaton.');
    }
  }

  /** Adds an automaton. */
  embed({ states }: Automaton, from: number, to: number): void {
    const places = states.map(() => this.#node());
    if (places[0] !== undefined) this.#free(from, places[0]);
    for (const [i, { accepts, steps }] of states.entries()) {
      const at = places[i] ?? 0;
      for (const step of steps) this.#nodes[at]?.steps.push({ set: step.set, to: places[step.to] ?? 0 });
      if (accepts) this.#free(at, to);
    }
  }

  /** Adds a node between two pieces. */
  join(): number {
    return this.#node();
  }

  #node(): number {
    if (this.#nodes.length >= MAX_NODES) throw new TooLarge();
    return this.#nodes.push({ free: [], steps: [] }) - 1;
  }

  #free(from: number, to: number): void {
    this.#nodes[from]?.free.push(to);
  }

  #text(text: string, from: number, to: number): void {
    let at = from;
    for (const char of text) {
      const code = char.codePointAt(0) ?? 0;
      const next = this.#node();
      this.#nodes[at]?.steps.push({ set: [[code, code]], to: next });
      at = next;
    }
    this.#free(at, to);
  }

  #chain(items: readonly Expr[], from: number, to: number): void {
    let at = from;
    for (const item of items) {
      const next = this.#node();
      this.add(item, at, next);
      at = next;
    }
    this.#free(at, to);
  }

  #repeat({ item, min, max }: Extract<Expr, { kind: 'repeat' }>, from: number, to: number): void {
    if ((max ?? min) > MAX_NODES) throw new TooLarge();
    let at = from;
    const once = (): void => {
      const next = this.#node();
      this.add(item, at, next);
      at = next;
    };
    for (let i = 0; i < min; i += 1) once();
    if (max === null) {
      const loop = this.#node();
      this.#free(at, loop);
      this.add(item, loop, loop);
      this.#free(loop, to);
      return;
    }
    for (let i = min; i < max; i += 1) {
      this.#free(at, to);
      once();
    }
    this.#free(at, to);
  }

  finish(): Automaton | null {
    return explore<readonly number[]>(
      this.#closure([this.start]),
      (nodes) => nodes.join(' '),
      (nodes) => ({
        accepts: nodes.includes(this.end),
        sets: nodes.flatMap((at) => (this.#nodes[at]?.steps ?? []).map(({ set, to }) => ({ set, value: to }))),
      }),
      (_, values) => this.#closure(values as number[]),
    );
  }

  #closure(nodes: readonly number[]): number[] {
    const found = new Set<number>();
    const waiting = [...nodes];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (found.has(at)) continue;
      found.add(at);
      waiting.push(...(this.#nodes[at]?.free ?? []));
    }
    this.#work += found.size;
    if (this.#work > MAX_WORK) throw new TooLarge();
    return [...found].toSorted((a, b) => a - b);
  }
}

function built(build: (draft: Draft) => void): Automaton | null {
  try {
    const draft = new Draft();
    build(draft);
    return draft.finish();
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

/** The automaton of an expression without rules; null = it would be too large. */
export const automatonOf = (expr: Expr): Automaton | null => built((draft) => draft.add(expr, draft.start, draft.end));

const chars = (set: CharSet): Expr => (set.length === 0 ? { kind: 'alt', items: [] } : { kind: 'chars', set });
const AROUND: Expr = { kind: 'repeat', item: chars(ANY), min: 0, max: null };

/**
 * The texts in which a regular expression matches somewhere, as in JSON schemas; lookaheads are supported. Null = too large.
 * @throws ServiceError `unsupported_value` like `regexBranches`.
 */
export const patternAutomaton = (pattern: string): Automaton | null => anyBranch(regexBranches(pattern, chars), false);

function anyBranch(branches: readonly RegexBranch[], fromHere: boolean): Automaton | null {
  const machines = branches.map((branch) => branchAutomaton(branch, fromHere));
  if (machines.includes(null)) return null;
  return built((draft) => {
    for (const machine of machines) if (machine) draft.embed(machine, draft.start, draft.end);
  });
}

/** Builds from the last piece to the first: a lookahead restricts everything after it. */
function branchAutomaton({ parts, fromStart, toEnd }: RegexBranch, fromHere: boolean): Automaton | null {
  let rest = automatonOf(toEnd ? { kind: 'text', text: '' } : AROUND);
  const all: readonly (Expr | Lookahead)[] = fromStart || fromHere ? parts : [AROUND, ...parts];
  for (const part of all.toReversed()) {
    const behind = rest;
    if (!behind) return null;
    rest =
      part.kind === 'lookahead'
        ? looking(behind, part)
        : built((draft) => {
            const between = draft.join();
            draft.add(part, draft.start, between);
            draft.embed(behind, between, draft.end);
          });
  }
  return rest;
}

function looking(rest: Automaton, { negative, branches }: Lookahead): Automaton | null {
  const seen = anyBranch(branches, true);
  return seen && combine(rest, seen, negative ? 'without' : 'and');
}
