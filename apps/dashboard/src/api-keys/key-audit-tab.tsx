import type { AuditEntry, ConsoleReply } from '@slipway/contracts';
import type { JSX } from 'react';
import { actorOf, doneOf, factsOf } from '../activity/activity-words.js';
import { type ListPage, useAll } from '../api/use-all.js';
import { EmptyState } from '../ui/empty-state.js';
import { EventFeed, type FeedEvent } from '../ui/event-feed.js';
import { Loaded } from '../ui/loaded.js';

const pageOf = ({ entries, next }: ConsoleReply<'audit/list'>): ListPage<'audit/list', AuditEntry> => ({
  rows: entries,
  next: next === null ? null : { before: next },
});

const LOOKS: Readonly<Record<string, Pick<FeedEvent, 'icon' | 'look'>>> = {
  'key.create': { icon: 'plus', look: 'good' },
  'key.rotate': { icon: 'rotate' },
  'key.revoke': { icon: 'failed', look: 'bad' },
  'key.rename': { icon: 'edit' },
};

function eventOf(entry: AuditEntry): FeedEvent {
  const facts = factsOf(entry);
  const done = doneOf(entry);
  return {
    ...{ id: entry.id, at: entry.at, icon: 'key', ...LOOKS[entry.action] },
    text: done.charAt(0).toUpperCase() + done.slice(1),
    who: actorOf(entry, () => undefined),
    ...(facts !== '' && { detail: facts }),
  };
}

/** Everything that was done with a key. For owners. */
export function KeyAuditTab({ id }: { readonly id: number }): JSX.Element {
  const query = useAll('audit/list', { object: `key:${id}` }, pageOf);
  return (
    <Loaded query={query} what="Audit log of the key">
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState title="Nothing recorded" icon="list">
            The audit log has no entry about this key.
          </EmptyState>
        ) : (
          <EventFeed label="Audit log of the key" events={entries.map(eventOf)} />
        )
      }
    </Loaded>
  );
}
