import type { Figure, Series } from './figures.js';
import { everyStep, type StepRow, sumOf, type Sums, type UsageRange } from './usage-range.js';

/** Everything of one name. */
export interface Part extends Sums {
  readonly name: string;
  /** What its rows are filtered by. */
  readonly values: readonly string[];
}

/**
 * Rows by name, those with most requests first. The short-lived keys of the playground have one name and become one row.
 * @param valueOf what a row is filtered by
 */
export function partsOf<R extends Sums>(
  rows: readonly R[],
  nameOf: (row: R) => string,
  valueOf: (row: R) => string = () => '',
): readonly Part[] {
  const named = new Map<string, R[]>();
  for (const row of rows) named.set(nameOf(row), [...(named.get(nameOf(row)) ?? []), row]);
  const parts = [...named].map(([name, own]): Part => {
    const [only] = own;
    const values = [...new Set(own.map(valueOf).filter((value) => value !== ''))];
    // Percentiles of several rows make none of them together.
    return { ...sumOf(own), name, values, ...(own.length === 1 && only?.latency && { latency: only.latency }) };
  });
  return parts.toSorted((a, b) => b.requests - a.requests);
}

/** Parts that are told apart; more lines cannot be. */
export const PARTS_MAX = 6;

interface Split {
  /** The largest parts, the largest first; the rest of a sum is one part more. */
  readonly series: readonly Series[];
  /** Parts of a figure that does not add up, and that are not among them. */
  readonly left: number;
}

/**
 * A figure over time by parts. The parts of a sum add up to the whole at every step.
 * @param nameOf the part that a row belongs to, which is unique
 */
export function splitSeries(figure: Figure, range: UsageRange, rows: readonly StepRow[], nameOf: (row: StepRow) => string): Split {
  const parts = new Map<string, StepRow[]>();
  for (const row of rows) parts.set(nameOf(row), [...(parts.get(nameOf(row)) ?? []), row]);
  const [{ of }] = figure.lines;
  const weightOf = (own: readonly StepRow[]): number => (figure.isSum ? (of(sumOf(own)) ?? 0) : sumOf(own).requests);
  const sorted = [...parts].toSorted(([, a], [, b]) => weightOf(b) - weightOf(a));
  const seriesOf = (label: string, own: readonly StepRow[]): Series => ({ label, values: everyStep(range, own).map(of) });
  const series = sorted.slice(0, PARTS_MAX).map(([name, own]) => seriesOf(name, own));
  const rest = sorted.slice(PARTS_MAX);
  if (rest.length === 0 || !figure.isSum) return { series, left: rest.length };
  const others = rest.flatMap(([, own]) => own);
  return { series: [...series, seriesOf(`${rest.length} others`, others)], left: 0 };
}
