import type { Share } from '@slipway/contracts';

/** Standard normal quantile of a two-sided 95 % interval. */
const Z = 1.959964;

/** The share of successes with its 95 % interval after Wilson; null without trials. */
export function wilson(successes: number, trials: number): Share | null {
  if (trials === 0) return null;
  const share = successes / trials;
  const z2 = Z * Z;
  const centre = (share + z2 / (2 * trials)) / (1 + z2 / trials);
  const half = (Z / (1 + z2 / trials)) * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials));
  return { share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** A difference of two shares that were measured on the same items, in percentage points, with its 95 % interval. */
export interface PairedDifference {
  readonly points: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The difference of two shares on the same items, with the interval after Bonett and Price (2012): one item is added to each kind of
 * disagreement before the variance is taken, so that the interval does not vanish where the two hardly disagree.
 * @param better items that passed only in the second
 * @param worse items that passed only in the first
 */
export function pairedDifference(better: number, worse: number, items: number): PairedDifference | null {
  if (items === 0) return null;
  const up = (better + 1) / (items + 2);
  const down = (worse + 1) / (items + 2);
  const centre = up - down;
  const half = Z * Math.sqrt((up + down - centre * centre) / (items + 2));
  return {
    points: (100 * (better - worse)) / items,
    low: 100 * Math.max(-1, centre - half),
    high: 100 * Math.min(1, centre + half),
  };
}

/** The median; null of nothing. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}
