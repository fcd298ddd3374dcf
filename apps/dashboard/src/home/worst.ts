import type { UsageRow } from '@slipway/contracts';

/** A deployment that stands out, with the figure by which it does. */
export interface Standout {
  readonly deployment: number;
  readonly value: number;
  readonly requests: number;
}

/** How many are named. */
const NAMED_MAX = 5;

const rank = (rows: readonly UsageRow[], of: (row: UsageRow) => number | undefined): readonly Standout[] =>
  rows
    .flatMap((row) => {
      const value = of(row);
      return row.deployment === undefined || value === undefined || value === 0
        ? []
        : [{ deployment: row.deployment, value, requests: row.requests }];
    })
    .toSorted((a, b) => b.value - a.value)
    .slice(0, NAMED_MAX);

/** Deployments with errors, the largest share of requests first. @param rows one for each deployment */
export const mostFailing = (rows: readonly UsageRow[]): readonly Standout[] =>
  rank(rows, ({ requests, errors }) => (requests === 0 ? undefined : errors / requests));

/** Deployments by the time to the first token that 95 % of their answers stay below, the slowest first, in milliseconds. */
export const slowest = (rows: readonly UsageRow[]): readonly Standout[] => rank(rows, ({ latency }) => latency?.ttft_ms?.p95);
