import type { ChartMark } from '../charts/chart-model.js';
import { formatCompact } from '../format/number.js';

/** How many examples are at most so long, and longer than the bucket before. */
export interface Bucket {
  readonly upto: number;
  readonly examples: number;
}

/** A bucket in words: `201 to 400`. */
export function bucketText(buckets: readonly Bucket[], at: number): string {
  const [before, here] = [buckets[at - 1]?.upto, buckets[at]?.upto];
  if (here === undefined) return '';
  return before === undefined ? `up to ${formatCompact(here)}` : `${formatCompact(before + 1)} to ${formatCompact(here)}`;
}

/** Where a length stands among the buckets, as a mark of a chart whose steps are buckets; none where every example is shorter. */
export function lengthMark(buckets: readonly Bucket[], length: number, label: string): readonly ChartMark[] {
  const at = buckets.findIndex(({ upto }) => upto >= length);
  if (at < 0) return [];
  const from = buckets[at - 1]?.upto ?? 0;
  const share = (length - from) / Math.max(1, (buckets[at]?.upto ?? length) - from);
  return [{ at: at - 0.5 + share, label, icon: 'notice' }];
}
