import type { UsageLatency } from '@slipway/contracts';
import type { ChartUnit } from '../charts/chart-model.js';
import { COUNT, DURATION_MS, RATE } from '../charts/units.js';
import type { Sums } from './usage-range.js';

type Percentile = 'p50' | 'p95' | 'p99';

/** One line of a chart and one column of a table; null = not measured. */
export interface FigureLine {
  readonly label: string;
  readonly of: (row: Sums) => number | null;
}

/** Something that is counted or measured of requests. */
export interface Figure {
  readonly value: string;
  readonly label: string;
  /** What it means, where that is not plain. */
  readonly about?: string;
  /** Parts of it add up to the whole. */
  readonly isSum: boolean;
  /** The first is what parts are compared by. */
  readonly lines: readonly [FigureLine, ...FigureLine[]];
  readonly unit: ChartUnit;
}

const sum = (value: Exclude<keyof Sums, 'latency'>, label: string): Figure => ({
  value,
  label,
  isSum: true,
  lines: [{ label, of: (row) => row[value] }],
  unit: COUNT,
});

const percentile = (measure: keyof UsageLatency, which: Percentile, label: string): FigureLine => ({
  label: `${label} ${which}`,
  of: ({ latency }) => latency?.[measure]?.[which] ?? null,
});

const percentiles = (measure: keyof UsageLatency, label: string): Figure['lines'] => [
  percentile(measure, 'p50', label),
  percentile(measure, 'p95', label),
  percentile(measure, 'p99', label),
];

const SHARES = 'Half of the answers stay below p50, 95 % below p95, 99 % below p99.';

export const REQUESTS = sum('requests', 'Requests');
export const ERRORS = sum('errors', 'Errors');
export const TOKENS_IN = sum('prompt_tokens', 'Input tokens');
export const CACHED = sum('cached_tokens', 'Cached input tokens');
export const TOKENS_OUT = sum('completion_tokens', 'Output tokens');
export const TOKENS: Figure = {
  value: 'tokens',
  label: 'Tokens',
  isSum: true,
  lines: [{ label: 'Tokens', of: (row) => row.prompt_tokens + row.completion_tokens }],
  unit: COUNT,
};
export const TTFT: Figure = {
  value: 'ttft',
  label: 'Time to first token',
  about: `From the request to the first token of its answer. ${SHARES}`,
  isSum: false,
  lines: percentiles('ttft_ms', 'TTFT'),
  unit: DURATION_MS,
};
export const DURATION: Figure = {
  value: 'duration',
  label: 'Duration',
  about: `From the request to the end of its answer. ${SHARES}`,
  isSum: false,
  lines: percentiles('duration_ms', 'Duration'),
  unit: DURATION_MS,
};
export const SPEED: Figure = {
  value: 'speed',
  label: 'Tokens per second',
  about: 'Of one answer, after its first token. Half of the answers are slower than p50; p95 and p99 are the fastest.',
  isSum: false,
  lines: percentiles('tokens_per_second', 'Tokens/s'),
  unit: RATE,
};

/** A value as it is written; what was not measured is a dash. */
export const written = (figure: Figure, value: number | null): string => (value === null ? '–' : figure.unit.format(value));

/** Values over time, under one name. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
}
