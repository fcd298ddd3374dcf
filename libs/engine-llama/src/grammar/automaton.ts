import { type CharSet, charSet, intersect } from './char-set.js';

/** A transition. The sets of a state's transitions do not overlap. */
export interface Step {
  readonly set: CharSet;
  readonly to: number;
}

/** A state of an automaton. */
export interface State {
  readonly accepts: boolean;
  readonly steps: readonly Step[];
}

/** A deterministic automaton over code points; the first state is the start. No states = empty language. */
export interface Automaton {
  readonly states: readonly State[];
}

/** Most states of an automaton. */
const MAX_STATES = 1_000;
const NOTHING: Automaton = { states: [] };

/** An interval of code points and its target. */
interface Cut<T> {
  readonly from: number;
  readonly to: number;
  readonly values: readonly T[];
}

/** The intervals between all bounds of some sets, each with the values of the sets that contain it. */
function cutsOf<T>(sets: readonly { readonly set: CharSet; readonly value: T }[]): Cut<T>[] {
  const starts = new Set<number>();
  for (const { set } of sets) for (const [from, to] of set) starts.add(from).add(to + 1);
  const ends = [...starts].toSorted((a, b) => a - b);
  const values = ends.map((): T[] => []);
  const places = new Map(ends.map((end, i) => [end, i]));
  for (const { set, value } of sets) {
    for (const [from, to] of set) for (let i = places.get(from) ?? 0; (ends[i] ?? Infinity) <= to; i += 1) values[i]?.push(value);
  }
  return ends.flatMap((from, i) => {
    const found = values[i] ?? [];
    return found.length > 0 ? [{ from, to: (ends[i + 1] ?? from + 1) - 1, values: found }] : [];
  });
}

/** Explores states by name, beginning with the first; null = too many. */
export function explore<K>(
  first: K,
  nameOf: (key: K) => string,
  open: (key: K) => { readonly accepts: boolean; readonly sets: readonly { readonly set: CharSet; readonly value: unknown }[] },
  next: (key: K, values: readonly unknown[]) => K | null,
): Automaton | null {
  const keys = [first];
  const numbers = new Map([[nameOf(first), 0]]);
  const states: State[] = [];
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as K;
    const { accepts, sets } = open(key);
    const ranges = new Map<number, [number, number][]>();
    for (const { from, to, values } of cutsOf(sets)) {
      const target = next(key, values);
      if (target === null) continue;
      const name = nameOf(target);
      const number = numbers.get(name) ?? keys.length;
      if (number >= MAX_STATES) return null;
      if (number === keys.length) keys.push(target);
      numbers.set(name, number);
      const list = ranges.get(number) ?? [];
      list.push([from, to]);
      ranges.set(number, list);
    }
    states.push({ accepts, steps: Array.from(ranges, ([to, list]) => ({ set: charSet(...list), to })) });
  }
  return minimal({ states });
}

/** Whether a combination keeps the texts of the first automaton that the second accepts, or those that it does not. */
export type Combination = 'and' | 'without';

/** Intersection, or `a` without `b`; null = too many states. */
export function combine(a: Automaton, b: Automaton, how: Combination): Automaton | null {
  if (a.states.length === 0) return NOTHING;
  const stateOf = (machine: Automaton, at: number): State | undefined => machine.states[at];
  return explore<readonly [number, number]>(
    [0, b.states.length === 0 ? -1 : 0],
    ([i, j]) => `${i} ${j}`,
    ([i, j]) => {
      const [x, y] = [stateOf(a, i), stateOf(b, j)];
      const sets = [
        ...(x?.steps ?? []).map(({ set, to }) => ({ set, value: { a: to } })),
        ...(y?.steps ?? []).map(({ set, to }) => ({ set, value: { b: to } })),
      ];
      return { accepts: (x?.accepts ?? false) && (y?.accepts ?? false) === (how === 'and'), sets };
    },
    (_, values) => {
      const found = Object.assign({}, ...(values as object[])) as { a?: number; b?: number };
      if (found.a === undefined || (how === 'and' && found.b === undefined)) return null;
      return [found.a, found.b ?? -1];
    },
  );
}

/** The states from which an accepting state can be reached. */
function living({ states }: Automaton): ReadonlySet<number> {
  const before = new Map<number, number[]>();
  for (const [i, { steps }] of states.entries()) {
    for (const { to } of steps) {
      const list = before.get(to) ?? [];
      list.push(i);
      before.set(to, list);
    }
  }
  const alive = new Set<number>();
  const waiting = states.flatMap(({ accepts }, i) => (accepts ? [i] : []));
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (alive.has(at)) continue;
    alive.add(at);
    waiting.push(...(before.get(at) ?? []));
  }
  return alive;
}

/** Minimizes an automaton (Moore). */
function minimal(machine: Automaton): Automaton {
  const alive = living(machine);
  if (!alive.has(0)) return NOTHING;
  const lively = machine.states.map(({ accepts, steps }) => ({ accepts, steps: steps.filter(({ to }) => alive.has(to)) }));
  const table = tableOf(lively);
  let groups: readonly number[] = lively.map(({ accepts }) => (accepts ? 1 : 0));
  for (let count = 0; ;) {
    const names = new Map<string, number>();
    const before = groups;
    groups = table.map((row, i) => {
      const name = `${before[i]}:${row.map((to) => (to < 0 ? -1 : before[to])).join()}`;
      const known = names.get(name) ?? names.size;
      names.set(name, known);
      return known;
    });
    if (names.size === count) break;
    count = names.size;
  }
  return grouped(lively, groups, alive);
}

/** Target of each state and character class; -1 = none. Characters are in one class if all states treat them alike. */
function tableOf(states: readonly State[]): readonly (readonly number[])[] {
  const sets = states.flatMap(({ steps }, from) => steps.map(({ set, to }) => ({ set, value: [from, to] as const })));
  const kinds = new Map<string, readonly (readonly [number, number])[]>();
  for (const { values } of cutsOf(sets)) kinds.set(values.join(), values);
  const table = states.map(() => Array.from({ length: kinds.size }, () => -1));
  for (const [kind, values] of [...kinds.values()].entries()) for (const [from, to] of values) (table[from] ?? [])[kind] = to;
  return table;
}

function merged(steps: readonly Step[], groups: readonly number[]): Map<number, CharSet> {
  const ranges = new Map<number, CharSet>();
  for (const { set, to } of steps) {
    const group = groups[to] ?? 0;
    ranges.set(group, charSet(...(ranges.get(group) ?? []), ...set));
  }
  return ranges;
}

function grouped(states: readonly State[], groups: readonly number[], alive: ReadonlySet<number>): Automaton {
  // Keeps only states reachable from the first, in that order.
  const numbers = new Map<number, number>([[groups[0] ?? 0, 0]]);
  const heads = [0];
  const made: State[] = [];
  for (let at = 0; at < heads.length; at += 1) {
    const { accepts, steps } = states[heads[at] ?? 0] ?? { accepts: false, steps: [] };
    const next = Array.from(merged(steps, groups), ([group, set]): Step => {
      const known = numbers.get(group);
      if (known !== undefined) return { set, to: known };
      numbers.set(group, heads.length);
      const head = groups.findIndex((each, i) => each === group && alive.has(i));
      return { set, to: heads.push(head) - 1 };
    });
    made.push({ accepts, steps: next });
  }
  return { states: made };
}

/** Lengths of the shortest and of the longest text; null = unbounded. */
export function lengthsOf({ states }: Automaton): { readonly shortest: number; readonly longest: number | null } {
  let level = new Set([0]);
  let shortest: number | null = null;
  let longest = 0;
  for (let length = 0; length <= states.length && level.size > 0; length += 1) {
    const accepting = [...level].some((at) => states[at]?.accepts === true);
    if (accepting) {
      shortest ??= length;
      longest = length;
    }
    level = new Set([...level].flatMap((at) => (states[at]?.steps ?? []).map(({ to }) => to)));
  }
  return { shortest: shortest ?? 0, longest: level.size > 0 ? null : longest };
}

/** Texts of `min` to `max` characters of a set; null = unbounded, or too many states. */
export function ofLength(set: CharSet, min: number, max: number | null): Automaton | null {
  const last = max ?? min;
  if (last >= MAX_STATES) return null;
  const states = Array.from({ length: last + 1 }, (_, i): State => ({
    accepts: i >= min,
    steps: i < last || max === null ? [{ set, to: Math.min(i + 1, last) }] : [],
  }));
  return min > last ? NOTHING : { states };
}

/** The texts that contain only characters of a set. */
export const within = ({ states }: Automaton, alphabet: CharSet): Automaton =>
  minimal({
    states: states.map(({ accepts, steps }) => ({
      accepts,
      steps: steps.map(({ set, to }) => ({ set: intersect(set, alphabet), to })).filter(({ set }) => set.length > 0),
    })),
  });

/** Intersection of all; null = too many states. */
export const allOf = (machines: readonly (Automaton | null)[]): Automaton | null => {
  const [first, ...others] = machines;
  return others.reduce<Automaton | null>((all, next) => (all && next ? combine(all, next, 'and') : null), first ?? null);
};
