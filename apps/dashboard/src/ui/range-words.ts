import type { TimeZone } from '../format/time-zone.js';
import type { RangePreset, RangeState } from '../url-state/range-search.js';

/** Presets as people read them. */
export const PRESET_WORDS: Readonly<Record<RangePreset, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
};

const MINUTE_MS = 60_000;
const two = (value: number): string => String(value).padStart(2, '0');

/** A moment as a field for date and time holds it, in a zone: `2026-11-21T20:03`. @param at in milliseconds since the epoch */
export function toField(at: number, zone: TimeZone): string {
  if (zone === 'utc') return new Date(at).toISOString().slice(0, 16);
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The moment that a field for date and time holds; NaN where it holds none. */
export const fromField = (text: string, zone: TimeZone): number => Date.parse(zone === 'utc' ? `${text}Z` : text);

/** A moment to the minute: `2026-11-21 20:03`. */
const minuteText = (at: number, zone: TimeZone): string => toField(at, zone).replace('T', ' ');

/** A range to the minute: `2026-11-21 20:03 – 2026-11-22 08:00`; the second day is left out where it is the first. */
export function rangeText(from: number, to: number, zone: TimeZone): string {
  const [start, end] = [minuteText(from, zone), minuteText(to, zone)];
  return `${start} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** What a screen shows, in words. */
export const rangeWords = ({ range, from, to }: RangeState, zone: TimeZone): string =>
  from !== null && to !== null ? rangeText(from, to, zone) : PRESET_WORDS[range];

/** The start of the minute in which a moment is. */
export const wholeMinute = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;
