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
