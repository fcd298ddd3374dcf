import type { Values } from './chart-model.js';

/** A value at the begin of its step, in milliseconds. */
export interface Point {
  readonly at: number;
  readonly value: number | null;
}

export interface Steps {
  /** First and end of the range in milliseconds, the end not included. */
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
}

/** The begin of every step of a range. */
export const stepsOf = ({ from, to, stepMs }: Steps): readonly number[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / stepMs)) }, (_, step) => from + step * stepMs);

/**
 * One value for every step of a range.
 * @param missing what a step without a point holds: 0 for counts, null for measurements. Of two points in a step the later wins.
 */
export function fillSteps(range: Steps, points: readonly Point[], missing: 0 | null): Values {
  const values: (number | null)[] = stepsOf(range).map(() => missing);
  for (const { at, value } of points) {
    const step = Math.floor((at - range.from) / range.stepMs);
    if (step >= 0 && step < values.length) values[step] = value ?? missing;
  }
  return values;
}

/** A span of time in milliseconds, the end not included. */
interface Span {
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
