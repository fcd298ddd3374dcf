import { Sparkline } from '../charts/sparkline.js';
import { formatCompact, formatCount, formatPercent, plural } from '../format/number.js';
import type { Delta, Stat } from '../ui/stat-grid.js';
import { SPEED, TTFT, written } from './figures.js';
import type { StepRow, Sums } from './usage-range.js';

/** How a figure compares with the one before. Undefined = one of them is not known. */
export function deltaOf(now: number | null, before: number | null | undefined, better: Delta['better']): Delta | undefined {
  if (now === null || before === undefined || before === null) return undefined;
  if (before === 0) return { share: now === 0 ? 0 : null, better, against: 'before' };
  return { share: (now - before) / before, better, against: 'before' };
}

/** Errors among requests; null where there are no requests. */
export const errorRate = ({ requests, errors }: Pick<Sums, 'requests' | 'errors'>): number | null =>
  requests === 0 ? null : errors / requests;

/** A share in percent, small ones too: `0.4 %`. */
export function formatShare(share: number | null): string {
  if (share === null) return '–';
  if (share === 0) return '0 %';
  if (share < 0.001) return '<0.1 %';
  return share < 0.1 ? `${(share * 100).toFixed(1)} %` : formatPercent(share);
}

export interface StatsSource {
  readonly total: Sums;
  /** The same of the period before; undefined = not known. */
  readonly before: Sums | undefined;
  readonly steps: readonly StepRow[];
}

interface Spec {
  readonly label: string;
  readonly of: (row: Sums) => number | null;
  readonly better: Delta['better'];
  readonly write: (value: number | null) => string;
  readonly hint?: (total: Sums) => string | undefined;
  readonly colour?: string;
}

const compact = (value: number | null): string => (value === null ? '–' : formatCompact(value));
const [, TTFT_P95] = TTFT.lines;
const [RATE_P50] = SPEED.lines;

const SPECS: readonly Spec[] = [
  { label: 'Requests', of: ({ requests }) => requests, better: 'more', write: compact },
  {
    ...{ label: 'Error rate', of: errorRate, better: 'less', write: formatShare, colour: 'bad' },
    hint: ({ errors }) => plural(errors, 'error'),
  },
  {
    ...{ label: 'Input tokens', of: (row) => row.prompt_tokens, better: 'neither', write: compact },
    hint: ({ prompt_tokens: all, cached_tokens: cached }) => (all === 0 ? undefined : `${formatShare(cached / all)} cached`),
  },
  {
    ...{ label: 'Output tokens', of: (row) => row.completion_tokens, better: 'neither', write: compact },
    hint: ({ requests, completion_tokens: tokens }) =>
      requests === 0 ? undefined : `${formatCount(Math.round(tokens / requests))} per request`,
  },
  {
    ...{ label: 'TTFT, p95', better: 'less', of: (row) => TTFT_P95?.of(row) ?? null },
    write: (value) => written(TTFT, value),
  },
  { label: 'Tokens/s, p50', of: RATE_P50.of, better: 'more', write: (value) => written(SPEED, value) },
];

/** Key figures of a range, each with its course and the change against the period before. */
export const statsOf = ({ total, before, steps }: StatsSource): readonly Stat[] =>
  SPECS.map(({ label, of, better, write, hint, colour }) => {
    const text = hint?.(total);
    return {
      label,
      value: write(of(total)),
      delta: deltaOf(of(total), before && of(before), better),
      ...(text !== undefined && { hint: text }),
      spark: <Sparkline values={steps.map(of)} width={120} height={28} {...(colour !== undefined && { colour })} />,
    };
  });
