import { type Sums, sumOf } from './usage-range.js';

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
