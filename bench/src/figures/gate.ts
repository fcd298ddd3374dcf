import type { Cell, RunFile } from './run-file.js';
import { medianOf, robustDeviation } from './spread.js';
import { microsOf } from './summary.js';

/** How much dearer a load may become, in parts. */
const ALLOWED = 0.03;
/** Standard errors that the median may be off by: one time in forty it is by more. */
const ERRORS = 2;
/** The standard error of a median, as a multiple of that of a mean. */
const MEDIAN_ERROR = 1.2533;

/** One load of a product beside the same of another state of it. */
export interface GateRow {
  readonly load: string;
  readonly title: string;
  readonly rounds: number;
  /** Processor time of the first as a multiple of the second's: median of the rounds. */
  readonly ratio: number;
  /** What the median may be: 1.03 times what the spread of the rounds allows. */
  readonly allowed: number;
  /** Requests that failed, tokens that were lost, doubled, misplaced or garbled: with the first, beyond those with the second. */
  readonly wrong: number;
  readonly holds: boolean;
}

const wrongIn = (cells: readonly Cell[]): number =>
  cells.reduce((sum, { failed, counts, beside }) => {
    const { lost, doubled, misplaced, garbled } = counts;
    return sum + failed + (beside?.failed ?? 0) + lost + doubled + misplaced + garbled;
  }, 0);

interface Pairs {
  readonly load: RunFile['loads'][number];
  readonly logs: readonly number[];
  readonly wrong: number;
}

function pairsOf(load: RunFile['loads'][number], cells: readonly Cell[], own: string, other: string): Pairs {
  const of = (way: string): Cell[] => cells.filter((cell) => cell.load === load.name && cell.way === way);
  const others = of(other);
  const logs = of(own).flatMap((cell) => {
    const beside = others.find(({ round }) => round === cell.round);
    const [now, then] = [microsOf(cell, load.unit), beside ? microsOf(beside, load.unit) : null];
    return now && then ? [Math.log(now / then)] : [];
  });
  return { load, logs, wrong: Math.max(0, wrongIn(of(own)) - wrongIn(others)) };
}

/**
 * Whether a state of the product became dearer than another one. Both took turns in each round, so what the machine does meets
 * both, and one round gives one ratio. A load fails when the median of its ratios is more than 3 % above 1 by more than two
 * standard errors. Few rounds may lie close together by chance: a load's spread counts as at least that of the median load.
 */
export function gateOf({ cells, loads }: Pick<RunFile, 'cells' | 'loads'>, own: string, other: string): GateRow[] {
  const pairs = loads.map((load) => pairsOf(load, cells, own, other)).filter(({ logs }) => logs.length > 0);
  const usual = medianOf(pairs.map(({ logs }) => robustDeviation(logs)));
  return pairs.map(({ load, logs, wrong }) => {
    const error = (MEDIAN_ERROR * Math.max(usual, robustDeviation(logs))) / Math.sqrt(logs.length);
    const [ratio, allowed] = [Math.exp(medianOf(logs)), (1 + ALLOWED) * Math.exp(ERRORS * error)];
    return { load: load.name, title: load.title, rounds: logs.length, ratio, allowed, wrong, holds: ratio <= allowed && wrong === 0 };
  });
}
