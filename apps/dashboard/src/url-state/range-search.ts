import { booleanOf, momentOf, wordOf } from './codec.js';
import { fieldsOf, type SearchCodec } from './search-codec.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Length of each preset, in milliseconds. */
export const RANGE_MS = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
} as const;
export type RangePreset = keyof typeof RANGE_MS;
export const RANGE_PRESETS = Object.keys(RANGE_MS) as readonly RangePreset[];

/** Longest custom range, in milliseconds. */
const RANGE_MAX_MS = 366 * DAY_MS;

/** Which time a screen shows. */
export interface RangeState {
  /** Up to now. Counts where `from` is null. */
  readonly range: RangePreset;
  /** A custom range in milliseconds since the epoch; both are set or neither is. */
  readonly from: number | null;
  readonly to: number | null;
  /** The period of the same length before it is shown beside it. */
  readonly compare: boolean;
  /** The screen asks for new figures by itself. A custom range does not move: false. */
  readonly live: boolean;
}

/** Milliseconds since the epoch, `to` not included. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** What is wrong with a custom range; null: nothing. */
export function faultOfRange(from: number, to: number): string | null {
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Enter a start and an end.';
  if (from >= to) return 'The start must be before the end.';
  return to - from > RANGE_MAX_MS ? 'A range has 366 days at most.' : null;
}

/** The time of a screen in its address: `range=7d`, or `from=…&to=…`. */
export function rangeSearch(fallback: RangePreset = '24h', live = false): SearchCodec<RangeState> {
  const fields = fieldsOf<RangeState>({
    range: wordOf(RANGE_PRESETS, fallback),
    from: momentOf(),
    to: momentOf(),
    compare: booleanOf(),
    live: booleanOf(live),
  });
  return {
    read: (search) => {
      const state = fields.read(search);
      const isCustom = state.from !== null && state.to !== null && faultOfRange(state.from, state.to) === null;
      return isCustom ? { ...state, range: fallback, live: false } : { ...state, from: null, to: null };
    },
    // A custom range has nothing to say about a preset or live figures.
    write: (state) => fields.write(state.from === null ? state : { ...state, range: fallback, live }),
  };
}

/** The bounds of what a screen shows at `now`, all in milliseconds since the epoch. */
export function boundsOf({ range, from, to }: Pick<RangeState, 'range' | 'from' | 'to'>, now: number): Bounds {
  return from !== null && to !== null ? { from, to } : { from: now - RANGE_MS[range], to: now };
}

/** The period of the same length before. */
export const periodBefore = ({ from, to }: Bounds): Bounds => ({ from: from - (to - from), to: from });
