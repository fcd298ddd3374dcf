import type { UsageRow } from '@slipway/contracts';
import { boundsOf, type RangeState } from '../url-state/range-search.js';

export type Step = 'minute' | 'hour' | 'day';

/** Length of a step in milliseconds. */
export const STEP_MS: Readonly<Record<Step, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

export interface UsageRange {
  readonly from: string;
  readonly to: string;
  readonly step: Step;
}

const PRESETS = {
  '1h': { step: 'minute', steps: 60 },
  '24h': { step: 'hour', steps: 24 },
  '7d': { step: 'day', steps: 7 },
} as const;

/** Whole steps of UTC up to the one that runs. */
export function rangeOf(name: keyof typeof PRESETS, now: number): UsageRange {
  const { step, steps } = PRESETS[name];
  const size = STEP_MS[step];
  const to = Math.floor(now / size) * size + size;
  return { from: new Date(to - steps * size).toISOString(), to: new Date(to).toISOString(), step };
}

/** Longest times that are shown by the minute and by the hour, in milliseconds. */
const BY_MINUTE_MS = 6 * STEP_MS.hour;
const BY_THE_HOUR_MS = 3 * STEP_MS.day;

/** The step of a chart over so many milliseconds. */
export function stepFor(ms: number): Step {
  if (ms <= BY_MINUTE_MS) return 'minute';
  return ms <= BY_THE_HOUR_MS ? 'hour' : 'day';
}

/** The whole steps of UTC that hold what a screen shows; a preset ends with the step that runs. */
export function spanOf(state: Pick<RangeState, 'range' | 'from' | 'to'>, now: number): UsageRange {
  const { from, to } = boundsOf(state, now);
  const step = stepFor(to - from);
  const size = STEP_MS[step];
  const end = (state.from === null ? Math.floor(to / size) + 1 : Math.ceil(to / size)) * size;
  const start = state.from === null ? end - Math.round((to - from) / size) * size : Math.floor(from / size) * size;
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString(), step };
}

/** The range of the same length right before. */
export function rangeBefore({ from, to, step }: UsageRange): UsageRange {
  const length = Date.parse(to) - Date.parse(from);
  return { from: new Date(Date.parse(from) - length).toISOString(), to: from, step };
}

/** What a step, a key or a deployment used. Without `latency` nothing was completed, or nobody told. */
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
