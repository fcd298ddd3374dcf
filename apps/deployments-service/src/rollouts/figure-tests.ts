/** How many values lie in each bucket, by a value within the bucket; values rise. */
export type Histogram = readonly (readonly [value: number, count: number])[];

/** A number of cases among all. */
export interface Share {
  readonly cases: number;
  readonly all: number;
}

/** Terms below this part of the sum change no digit of it. */
const NEGLIGIBLE = 1e-17;

const LANCZOS = [676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012];
/** Natural logarithm of x factorial, to about 12 digits (Lanczos's approximation). */
function lnFactorial(x: number): number {
  const series = [...LANCZOS, 9.9843695780195716e-6, 1.5056327351493116e-7].reduce(
    (sum, each, at) => sum + each / (x + at + 1),
    0.99999999999980993,
  );
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(series);
}
const lnChoose = (n: number, k: number): number => lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);

/**
 * Fisher's exact test, one-sided: the probability of at least as many cases on this side if both sides had the same rate. It holds
 * for any counts, also where there are few cases.
 */
export function worseShare(side: Share, other: Share): number {
  const [all, cases] = [side.all + other.all, side.cases + other.cases];
  if (side.all === 0 || other.all === 0 || side.cases * other.all <= other.cases * side.all) return 1;
  let term = Math.exp(lnChoose(cases, side.cases) + lnChoose(all - cases, side.all - side.cases) - lnChoose(all, side.all));
  let sum = 0;
  for (let k = side.cases; k <= Math.min(cases, side.all) && term > sum * NEGLIGIBLE; k += 1) {
    sum += term;
    term *= ((cases - k) * (side.all - k)) / ((k + 1) * (all - cases - side.all + k + 1));
  }
  return Math.min(1, sum);
}

/** Result of a comparison of two histograms. */
export interface Shift {
  /** How often a value of this side is above one of the other, ties counting half: 0.5 where both are alike. */
  readonly above: number;
  /** Standard deviations by which that is above 0.5 if both sides were alike. */
  readonly z: number;
}

/** Mann and Whitney's rank test on buckets, with ties corrected; it supposes nothing of the form of the distributions. */
export function shiftOf(side: Histogram, other: Histogram): Shift {
  const counts = new Map<number, [number, number]>();
  for (const [value, count] of side) counts.set(value, [count, 0]);
  for (const [value, count] of other) counts.set(value, [counts.get(value)?.[0] ?? 0, count]);
  let [u, below, n, m, ties] = [0, 0, 0, 0, 0];
  for (const [, [own, theirs]] of [...counts].toSorted(([a], [b]) => a - b)) {
    u += own * (below + theirs / 2);
    below += theirs;
    n += own;
    m += theirs;
    ties += (own + theirs) ** 3 - (own + theirs);
  }
  if (n === 0 || m === 0) return { above: 0.5, z: 0 };
  const variance = ((n * m) / 12) * (n + m + 1 - ties / ((n + m) * (n + m - 1)));
  return { above: u / (n * m), z: variance > 0 ? (u - (n * m) / 2) / Math.sqrt(variance) : 0 };
}

/** The value that this part of all values does not exceed; null without values. */
export function quantile(histogram: Histogram, part: number): number | null {
  const all = histogram.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [value, count] of histogram) {
    seen += count;
    if (count > 0 && seen >= part * all) return value;
  }
  return null;
}
