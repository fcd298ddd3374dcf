/** Least space between two lines of the grid, in pixels. */
const SPACE = 36;
const NICE = [1, 2, 5, 10] as const;

/**
 * Ticks from 0 to a round number that is at least `most`.
 * @param room height of the plot in pixels
 * @param isWhole no tick between whole numbers
 */
export function valueTicks(most: number, room: number, isWhole = false): readonly number[] {
  const count = Math.max(1, Math.floor(room / SPACE));
  const highest = most > 0 && Number.isFinite(most) ? most : 1;
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = (NICE.find((factor) => factor * power >= rough) ?? 10) * power;
  const step = isWhole ? Math.max(1, Math.round(nice)) : nice;
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  // Multiplied, not added up, and rounded: 0.1 + 0.2 is no tick.
  return Array.from({ length: steps + 1 }, (_, tick) => Number((tick * step).toPrecision(12)));
}
