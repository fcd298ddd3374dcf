import type { UsageLatency } from '@slipway/contracts';
import type { Entry } from './entry.js';

export type LatencyFigure = keyof UsageLatency;

/** Buckets for each doubling: the middle of one is within 5 % of all that fall into it. */
const PER_DOUBLING = 8;
/** Where a smaller value is told as this one: a millisecond, a token in a hundred seconds. */
const SMALLEST: Record<LatencyFigure, number> = { ttft_ms: 1, duration_ms: 1, tokens_per_second: 0.01 };

/** The value in the middle of a bucket, to three digits. */
export const valueOfBucket = (bucket: number): number => Number((2 ** (bucket / PER_DOUBLING)).toPrecision(3));

const bucketOf = (figure: LatencyFigure, value: number): number => Math.round(PER_DOUBLING * Math.log2(Math.max(SMALLEST[figure], value)));

/** Into which buckets a request falls: none while it runs, and none if it was not completed. */
export function latencyBuckets({ final, status, ms, ttftMs, completion }: Entry): (readonly [figure: LatencyFigure, bucket: number])[] {
  if (!final || status !== 'completed') return [];
  const figures: Partial<Record<LatencyFigure, number>> = {
    duration_ms: ms,
    ...(ttftMs !== null && { ttft_ms: ttftMs }),
    ...(ttftMs !== null && ms > ttftMs && completion > 1 && { tokens_per_second: ((completion - 1) * 1_000) / (ms - ttftMs) }),
  };
  return Object.entries(figures).map(([name, value]) => {
    const figure = name as LatencyFigure;
    return [figure, bucketOf(figure, value)];
  });
}
