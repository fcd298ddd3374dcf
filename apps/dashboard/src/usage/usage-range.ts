import type { UsageRow } from '@slipway/contracts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type RangeName = '24h' | '7d' | '30d' | '90d';

export const RANGES: readonly {
  readonly value: RangeName;
  readonly label: string;
  readonly step: 'hour' | 'day';
  readonly steps: number;
}[] = [
  { value: '24h', label: 'Last 24 hours', step: 'hour', steps: 24 },
  { value: '7d', label: 'Last 7 days', step: 'day', steps: 7 },
  { value: '30d', label: 'Last 30 days', step: 'day', steps: 30 },
  { value: '90d', label: 'Last 90 days', step: 'day', steps: 90 },
];

export interface UsageRange {
  readonly from: string;
  readonly to: string;
  readonly step: 'hour' | 'day';
}

const sizeOf = (step: 'hour' | 'day'): number => (step === 'hour' ? HOUR_MS : DAY_MS);

/** Whole steps of UTC up to the one that runs. */
export function rangeOf(name: RangeName, now: number): UsageRange {
  const { step, steps } = RANGES.find(({ value }) => value === name) ?? { step: 'day' as const, steps: 7 };
  const size = sizeOf(step);
  const to = Math.floor(now / size) * size + size;
  return { from: new Date(to - steps * size).toISOString(), to: new Date(to).toISOString(), step };
}

export type Sums = Pick<UsageRow, 'requests' | 'errors' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens'>;

const NOTHING: Sums = { requests: 0, errors: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };

const add = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
});

export const sumOf = (rows: readonly Sums[]): Sums => rows.reduce(add, NOTHING);

/** One row for every step of a range, also for those in which nothing happened. */
export function everyStep(
  { from, to, step }: UsageRange,
  rows: readonly (Sums & { readonly from: string })[],
): readonly (Sums & { readonly from: string })[] {
  const size = sizeOf(step);
  const known = new Map(rows.map((row) => [Date.parse(row.from), row]));
  const count = Math.round((Date.parse(to) - Date.parse(from)) / size);
  return Array.from({ length: count }, (_, index) => {
    const at = Date.parse(from) + index * size;
    return known.get(at) ?? { ...NOTHING, from: new Date(at).toISOString() };
  });
}
