import type { TimeZone } from './time-zone.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The clock of the screen goes in steps, and servers have their own. */
const CLOCK_LAG_MS = 20_000;

const inWords = (ms: number): string => {
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  if (Math.round(ms / DAY) <= 90) return `${Math.round(ms / DAY)} days`;
  return `${Math.round(ms / (30.44 * DAY))} months`;
};

/** How long ago a moment was or how far off it is: `3 h ago`, `in 29 days`. */
export function formatRelative(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (Math.abs(ms) < 45_000) return ms > -CLOCK_LAG_MS ? 'just now' : 'in a moment';
  return ms > 0 ? `${inWords(ms)} ago` : `in ${inWords(-ms)}`;
}

/** A moment in UTC: `2026-11-21 19:03:14 UTC`. */
export const formatUtc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A day in UTC: `2026-11-21`. */
export const formatDay = (at: string): string => new Date(at).toISOString().slice(0, 10);

/** Time of day on this machine, for what is a moment old. */
export const formatClock = (ms: number): string =>
  new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const parts = new Intl.DateTimeFormat('en-GB', {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  ...{ hourCycle: 'h23', timeZoneName: 'shortOffset' },
});

/** A moment in full, in the chosen zone: `2026-11-21 20:03:14 GMT+1`, `2026-11-21 19:03:14 UTC`. */
export function formatExact(at: string, zone: TimeZone): string {
  if (zone === 'utc') return formatUtc(at);
  const of = Object.fromEntries(parts.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  return `${of['year']}-${of['month']}-${of['day']} ${of['hour']}:${of['minute']}:${of['second']} ${of['timeZoneName']}`;
}

/** Time of day in the chosen zone: `20:03`. */
export const formatTimeOfDay = (at: string, zone: TimeZone): string => formatExact(at, zone).slice(11, 16);

/** The day of a moment in the chosen zone, as a heading: `Saturday 21 November 2026`. */
export const formatLongDay = (at: string, zone: TimeZone): string =>
  new Date(at)
    .toLocaleDateString('en-GB', {
      ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
      ...(zone === 'utc' && { timeZone: 'UTC' }),
    })
    .replace(',', '');
