import type { ConsoleReply, JobEvent, JobView } from '@slipway/contracts';
import type { JSX } from 'react';
import { type ListPage, useAll } from '../api/use-all.js';
import { EmptyState } from '../ui/empty-state.js';
import { EventFeed, type FeedEvent } from '../ui/event-feed.js';
import type { IconName } from '../ui/icon.js';
import { Loaded } from '../ui/loaded.js';
import { Section } from '../ui/page.js';
import { isOver } from './job-words.js';
import { LOOK_EVERY_MS } from './use-jobs.js';

const pageOf = ({ events, next }: ConsoleReply<'jobs/events'>): ListPage<'jobs/events', JobEvent> => ({
  rows: events,
  next: next === null ? null : { after: next },
});

const ICONS: Readonly<Record<string, IconName>> = {
  queued: 'clock',
  placed: 'server',
  installing: 'download',
  prepared: 'data',
  checkpoint: 'pin',
  paused: 'pause',
  resumed: 'play',
  best: 'good',
  evaluated: 'evaluate',
  deployed: 'rocket',
};
const LOOKS = { info: 'plain', warn: 'warn', error: 'bad' } as const;

const eventOf = ({ n, at, level, code, message }: JobEvent): FeedEvent => ({
  id: n,
  at,
  icon: level === 'info' ? (ICONS[code] ?? 'info') : 'warning',
  look: LOOKS[level],
  text: message,
});

/** What happened to a job, newest first. */
export function EventsTab({ job }: { readonly job: JobView }): JSX.Element {
  const found = useAll('jobs/events', { job: job.id }, pageOf, { every: () => (isOver(job) ? false : LOOK_EVERY_MS.running) });
  return (
    <Loaded query={found} what="Events" shape="text" rows={6}>
      {(events) =>
        events.length === 0 ? (
          <EmptyState title="Nothing happened yet" icon="history">
            Each change of the job stands here.
          </EmptyState>
        ) : (
          <Section title="Events">
            <EventFeed label="Events" events={events.map(eventOf).toReversed()} />
          </Section>
        )
      }
    </Loaded>
  );
}
