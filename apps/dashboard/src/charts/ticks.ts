import type { ChartData } from './chart-model.js';
import { DAY, HOUR, MINUTE, momentOf, wallOf } from './zone.js';

/** Least space for a label, in pixels. */
const SPACE = 72;
const SECOND = 1_000;
const STEPS = [
  ...[1, 5, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14].map((count) => count * DAY),
];
const MONTH_STEPS = [1, 3, 6, 12] as const;
const MONTH = 30.44 * DAY;
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY = 4 * DAY;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export interface TimeTick {
  readonly at: number;
  readonly label: string;
}

const clock = (wall: number): string => new Date(wall).toISOString().slice(11, 16);
const day = (wall: number): string => `${new Date(wall).getUTCDate()} ${MONTHS[new Date(wall).getUTCMonth()] ?? ''}`;

function monthTicks(from: number, to: number, count: number): readonly TimeTick[] {
  const step = MONTH_STEPS.find((months) => (to - from) / (months * MONTH) <= count) ?? 12;
  const [first, last] = [from, to].map((wall) => new Date(wall).getUTCFullYear() * 12 + new Date(wall).getUTCMonth());
  const ticks: TimeTick[] = [];
  for (let month = Math.ceil((first ?? 0) / step) * step; month <= (last ?? 0); month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1);
    const isNewYear = month % 12 === 0;
    if (at >= from) ticks.push({ at, label: isNewYear ? String(Math.floor(month / 12)) : (MONTHS[month % 12] ?? '') });
  }
  return ticks;
}

function wallTicks(from: number, to: number, count: number): readonly TimeTick[] {
  const step = STEPS.find((length) => (to - from) / length <= count);
  if (step === undefined) return monthTicks(from, to, count);
  const offset = step % (7 * DAY) === 0 ? FIRST_MONDAY : 0;
  const ticks: TimeTick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) {
    const isDay = step >= DAY || at % DAY === 0;
    const time = step < MINUTE ? new Date(at).toISOString().slice(11, 19) : clock(at);
    ticks.push({ at, label: isDay ? day(at) : time });
  }
  return ticks;
}

/**
 * Ticks of a time axis at round times of a zone: full hours, midnights, Mondays, first days of months.
 * @param room width of the axis in pixels
 */
export function timeTicks(from: number, to: number, room: number, zone: string): readonly TimeTick[] {
  const count = Math.max(1, Math.floor(room / SPACE));
  const ticks = wallTicks(wallOf(from, zone), wallOf(to, zone), count);
  return ticks.map(({ at, label }) => ({ at: momentOf(at, zone), label })).filter(({ at }) => at >= from && at <= to);
}

/** The begin of a step in full: `Sat 21 Nov 2026`, `21 Nov, 14:05`. */
export function stepLabel(at: number, stepMs: number, zone: string): string {
  const wall = wallOf(at, zone);
  if (stepMs < DAY) return `${day(wall)}, ${clock(wall)}`;
  return `${WEEKDAYS[new Date(wall).getUTCDay()] ?? ''} ${day(wall)} ${new Date(wall).getUTCFullYear()}`;
}

/** A step of a chart in full, be its axis time or not. */
export const axisLabel = ({ axis, stepMs, zone }: Pick<ChartData, 'axis' | 'stepMs' | 'zone'>, at: number): string =>
  axis ? `${axis.title} ${axis.format(at)}` : stepLabel(at, stepMs, zone);

/** A zone in few letters, as it is at a moment: `UTC`, `GMT+1`. */
export function zoneLabel(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** Least space between two lines of the grid, in pixels. */
const VALUE_SPACE = 36;
const NICE = [1, 2, 5, 10] as const;

/**
 * Ticks from 0 to a round number that is at least `most`.
 * @param room height of the plot in pixels
 * @param isWhole no tick between whole numbers
 */
export function valueTicks(most: number, room: number, isWhole = false): readonly number[] {
  const count = Math.max(1, Math.floor(room / VALUE_SPACE));
  const highest = most > 0 && Number.isFinite(most) ? most : 1;
  const rough = highest / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = (NICE.find((factor) => factor * power >= rough) ?? 10) * power;
  const step = isWhole ? Math.max(1, Math.round(nice)) : nice;
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  // Multiplied, not added up, and rounded: 0.1 + 0.2 is no tick.
  return Array.from({ length: steps + 1 }, (_, tick) => Number((tick * step).toPrecision(12)));
}
