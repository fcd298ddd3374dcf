/** A span of time in milliseconds, the end not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Whole steps out of what somebody marked in a chart. Steps are drawn at their begin, so one belongs to the span when its begin does;
 * a span between two begins is the step that it lies nearest to.
 * @param at begin of each step, ascending
 */
export function snapRange(at: readonly number[], stepMs: number, { from, to }: Span): Span | null {
  const inside = at.filter((begin) => begin >= Math.min(from, to) && begin <= Math.max(from, to));
  const middle = (from + to) / 2;
  const nearest = at.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  const [first, last] = [inside[0] ?? nearest, inside.at(-1) ?? nearest];
  return first === undefined || last === undefined ? null : { from: first, to: last + stepMs };
}
