import type { UsageLatency, UsageRow } from '@slipway/contracts';
import type { ChartMark, ChartSeries } from '../charts/chart-model.js';
import type { Bounds } from '../url-state/range-search.js';

type Row = Pick<UsageRow, 'from' | 'status' | 'requests' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens' | 'latency'>;

/** A value of every step. @param missing of a step without a row */
function valuesOf<M extends 0 | null>(rows: readonly Row[], at: readonly number[], of: (row: Row) => number | null, missing: M) {
  const known = new Map<number, number | null>();
  for (const row of rows) {
    const [begin, value] = [Date.parse(row.from), of(row)];
    const before = known.get(begin);
    known.set(begin, missing === 0 ? (before ?? 0) + (value ?? 0) : value);
  }
  return at.map((begin) => known.get(begin) ?? missing);
}

/** Outcomes in the order in which they are piled up, with their words and colours. */
const OUTCOMES: readonly (readonly [status: string, label: string, colour: string])[] = [
  ['completed', 'Completed', 'series-1'],
  ['running', 'Running', 'series-2'],
  ['cancelled', 'Cancelled', 'series-8'],
];
const ERROR_COLOURS = ['series-4', 'series-3', 'series-5', 'series-6', 'series-7'];

/** A status of the ledger in words: `engine_error` as `Engine error`. */
export function statusWords(status: string): string {
  const known = OUTCOMES.find(([one]) => one === status)?.[1];
  const words = status.replaceAll('_', ' ');
  return known ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Requests by outcome; the errors come last, so that they lie on top. */
export function outcomeSeries(rows: readonly Row[], at: readonly number[]): readonly ChartSeries[] {
  const found = [...new Set(rows.map(({ status = 'completed' }) => status))];
  const usual = OUTCOMES.filter(([status]) => found.includes(status));
  const errors = found.filter((status) => !usual.some(([one]) => one === status)).toSorted();
  const all = [
    ...usual,
    ...errors.map((status, n) => [status, statusWords(status), ERROR_COLOURS[n % ERROR_COLOURS.length] ?? ''] as const),
  ];
  return all.map(([status, label, colour]) => {
    const mine = rows.filter((row) => (row.status ?? 'completed') === status);
    return { label, colour, values: valuesOf(mine, at, ({ requests }) => requests, 0) };
  });
}

/** Tokens of prompts, those of them that came from a cache, and tokens of answers. */
export const tokenSeries = (rows: readonly Row[], at: readonly number[]): readonly ChartSeries[] => [
  { label: 'Input', values: valuesOf(rows, at, (row) => row.prompt_tokens - row.cached_tokens, 0) },
  { label: 'Cached input', values: valuesOf(rows, at, (row) => row.cached_tokens, 0) },
  { label: 'Output', values: valuesOf(rows, at, (row) => row.completion_tokens, 0) },
];

const PERCENTILES = ['p50', 'p95', 'p99'] as const;

/** Percentiles of one measure, from strong to faint. */
export const percentileSeries = (
  rows: readonly Row[],
  at: readonly number[],
  measure: keyof UsageLatency,
  which: readonly (typeof PERCENTILES)[number][] = PERCENTILES,
): readonly ChartSeries[] =>
  which.map((percentile, place) => ({
    label: percentile,
    colour: `step-${place + 1}`,
    values: valuesOf(rows, at, ({ latency }) => latency?.[measure]?.[percentile] ?? null, null),
  }));

/** Marks where revisions were made. @param href address of the list of revisions */
export const revisionMarks = (
  revisions: readonly { readonly rev: number; readonly created_at: string; readonly note?: string | null | undefined }[],
  { from, to }: Bounds,
  href: string,
): readonly ChartMark[] =>
  revisions
    .map(({ rev, created_at: at, note }) => ({
      at: Date.parse(at),
      label: `Revision ${rev}${note ? `: ${note}` : ''}`,
      icon: 'rocket' as const,
      href,
    }))
    .filter(({ at }) => at >= from && at < to);
