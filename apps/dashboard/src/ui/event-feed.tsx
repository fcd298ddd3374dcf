import type { JSX, ReactNode } from 'react';
import { type TimeZone, useTimeZone } from '../format/time-zone.js';
import { formatLongDay, formatTimeOfDay } from '../format/time.js';
import { Avatar } from './avatar.js';
import { Icon, type IconName } from './icon.js';
import { Moment } from './moment.js';

/** Events of one day, in their order. */
interface EventDay<T> {
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

const INKS = { good: 'text-good', warn: 'text-warn', bad: 'text-bad', plain: 'text-muted' } as const;

export interface FeedEvent {
  readonly id: string | number;
  readonly at: string;
  readonly icon: IconName;
  readonly look?: keyof typeof INKS;
  /** What happened, with links. */
  readonly text: ReactNode;
  /** Who did it; absent for what happened by itself. */
  readonly who?: string | undefined;
  /** Before → after, a reason. */
  readonly detail?: ReactNode;
}

/** What happened, newest first, grouped by day. */
export function EventFeed({ label, events }: { readonly label: string; readonly events: readonly FeedEvent[] }): JSX.Element {
  const zone = useTimeZone();
  return (
    <div role="group" aria-label={label} className="grid gap-5">
      {byDay(events, zone).map(({ day, events: ofDay }) => (
        <section key={day} aria-label={day} className="grid gap-1">
          <h3 className="text-xs font-medium text-muted">{day}</h3>
          <ol className="grid">
            {ofDay.map((event) => (
              <Row key={event.id} event={event} time={formatTimeOfDay(event.at, zone)} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function Row({ event, time }: { readonly event: FeedEvent; readonly time: string }): JSX.Element {
  const { at, icon, look = 'plain', text, who, detail } = event;
  return (
    <li className="grid grid-cols-[2.75rem_1rem_minmax(0,1fr)_auto] items-start gap-x-3 border-line py-2 text-sm not-last:border-b">
      <span className="text-muted tabular-nums">{time}</span>
      <Icon name={icon} className={`mt-px size-4 ${INKS[look]}`} />
      <div className="min-w-0 wrap-anywhere">
        {text}
        {detail !== undefined && <div className="text-xs text-muted">{detail}</div>}
      </div>
      <span className="flex items-center gap-2 text-xs text-muted">
        {who !== undefined && (
          <>
            <Avatar name={who} className="size-5 text-[0.625rem]" />
            <span className="max-w-40 truncate max-sm:sr-only">{who}</span>
          </>
        )}
        <span className="max-sm:sr-only">
          <Moment at={at} />
        </span>
      </span>
    </li>
  );
}
