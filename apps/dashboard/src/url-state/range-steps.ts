import { type Bounds, boundsOf, type RangeState } from './range-search.js';

/** Length of each step of the ledger, in milliseconds. */
export const STEP_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type Step = keyof typeof STEP_MS;

/** Whole steps of UTC, in milliseconds since the epoch, `to` not included. */
export interface RangeSteps extends Bounds {
  readonly step: Step;
  readonly stepMs: number;
}

/** Longest ranges that are shown by the minute (360 points) and by the hour, in milliseconds. */
const BY_MINUTE_MS = 6 * STEP_MS.hour;
const BY_HOUR_MS = 3 * STEP_MS.day;

function stepFor(rangeMs: number): Step {
  if (rangeMs <= BY_MINUTE_MS) return 'minute';
  return rangeMs <= BY_HOUR_MS ? 'hour' : 'day';
}

/**
 * The steps by which every screen shows a range: minutes to 6 hours, hours to 3 days, else days. A custom range is
 * contained whole; a preset keeps its length and ends with the step that runs at `now`.
 */
export function stepsOfRange(state: Pick<RangeState, 'range' | 'from' | 'to'>, now: number): RangeSteps {
  const { from, to } = boundsOf(state, now);
  const step = stepFor(to - from);
  const stepMs = STEP_MS[step];
  if (state.from !== null) return { step, stepMs, from: Math.floor(from / stepMs) * stepMs, to: Math.ceil(to / stepMs) * stepMs };
  const end = (Math.floor(to / stepMs) + 1) * stepMs;
  return { step, stepMs, from: end - Math.round((to - from) / stepMs) * stepMs, to: end };
}
