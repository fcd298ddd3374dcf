import type { UsageRow } from '@slipway/contracts';
import type { RangeState } from '../url-state/range-search.js';
import { STEP_MS, type Step, stepsOfRange } from '../url-state/range-steps.js';

export interface UsageRange {
  readonly from: string;
  readonly to: string;
  readonly step: Step;
}

/** What a screen shows, as the ledger is asked for it. */
export function usageRange(state: Pick<RangeState, 'range' | 'from' | 'to'>, now: number): UsageRange {
  const { from, to, step } = stepsOfRange(state, now);
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step };
}

/** A preset that ends now. */
export const lastRange = (range: RangeState['range'], now: number): UsageRange => usageRange({ range, from: null, to: null }, now);

/** The range of the same length right before. */
export function rangeBefore({ from, to, step }: UsageRange): UsageRange {
  const length = Date.parse(to) - Date.parse(from);
  return { from: new Date(Date.parse(from) - length).toISOString(), to: from, step };
}

/** What a step, a key or a deployment used. Without `latency` nothing was completed, or no engine reported it. */
export type Sums = Pick<UsageRow, 'requests' | 'errors' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens' | 'latency'>;
export type StepRow = Sums & { readonly from: string };

const NOTHING: Sums = { requests: 0, errors: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };

const add = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
});

/** All together, without latency: percentiles do not add up. */
export const sumOf = (rows: readonly Sums[]): Sums => rows.reduce(add, NOTHING);

/** One row for every step of a range, also for those in which nothing happened. Rows of one step are added. */
export function everyStep({ from, to, step }: UsageRange, rows: readonly StepRow[]): readonly StepRow[] {
  const size = STEP_MS[step];
  const known = new Map<number, StepRow>();
  for (const row of rows) {
    const at = Date.parse(row.from);
    const before = known.get(at);
    known.set(at, before ? { ...add(before, row), from: row.from } : row);
  }
  const count = Math.round((Date.parse(to) - Date.parse(from)) / size);
  return Array.from({ length: count }, (_, index) => {
    const at = Date.parse(from) + index * size;
    return known.get(at) ?? { ...NOTHING, from: new Date(at).toISOString() };
  });
}
