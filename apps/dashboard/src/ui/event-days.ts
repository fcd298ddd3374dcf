import { formatLongDay } from '../format/time.js';
import type { TimeZone } from '../format/time-zone.js';

/** Events of one day, in their order. */
export interface EventDay<T> {
  /** "Saturday 21 November 2026" */
  readonly day: string;
  readonly events: readonly T[];
}

/** Puts events that follow each other on one day of the zone together; the order stays. */
export function byDay<T extends { readonly at: string }>(events: readonly T[], zone: TimeZone): EventDay<T>[] {
  const days: { day: string; events: T[] }[] = [];
  for (const event of events) {
    const day = formatLongDay(event.at, zone);
    const last = days.at(-1);
    if (last?.day === day) last.events.push(event);
    else days.push({ day, events: [event] });
  }
  return days;
}
