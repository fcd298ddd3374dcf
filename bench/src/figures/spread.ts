/** Figures of several rounds. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The middle one, or the mean of the two in the middle; NaN without any. */
export function medianOf(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** @returns null without any figure */
export const spreadOf = (figures: readonly number[]): Spread | null =>
  figures.length === 0 ? null : { median: medianOf(figures), low: Math.min(...figures), high: Math.max(...figures) };

/** Standard deviation of figures that are normal but for outliers: 1.4826 times their median distance from their median. */
export function robustDeviation(figures: readonly number[]): number {
  const middle = medianOf(figures);
  return 1.4826 * medianOf(figures.map((figure) => Math.abs(figure - middle)));
}
