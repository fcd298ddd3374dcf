import type { AuditEntry } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatExact, formatUtc } from '../format/time.js';
import { useTimeZone } from '../format/time-zone.js';
import { clientName } from '../people/client-name.js';
import { Drawer } from '../ui/drawer.js';
import { KeyValues } from '../ui/key-values.js';
import { actionWords, actorOf, changesOf } from './activity-words.js';
import type { TargetNames } from './activity-target.js';
import { TargetLink } from './target-link.js';

export interface EntryDrawerProps {
  /** Null = none is open. */
  readonly entry: AuditEntry | null;
  readonly names: TargetNames;
  readonly onClose: () => void;
}

/** All that the log holds of one entry. */
export function EntryDrawer({ entry, names, onClose }: EntryDrawerProps): JSX.Element {
  return (
    <Drawer title={entry ? actionWords(entry.action) : 'Entry'} open={entry !== null} onClose={onClose}>
      {entry && <Facts entry={entry} names={names} />}
    </Drawer>
  );
}

function Facts({ entry, names }: Pick<EntryDrawerProps, 'names'> & { readonly entry: AuditEntry }): JSX.Element {
  const zone = useTimeZone();
  const { at, action, actor_name: actorName, address, client, id, object } = entry;
  const who = actorOf(entry, names.person);
  const changes = changesOf(entry);
  return (
    <div className="grid gap-6">
      <KeyValues
        facts={[
          ['Time', zone === 'utc' ? formatUtc(at) : `${formatExact(at, 'local')} · ${formatUtc(at)}`],
          ['Who', actorName === null || actorName === who ? who : `${who} (${actorName})`],
          ['Action', <code key="action">{action}</code>],
          ['Target', <TargetLink key="target" {...{ entry, names }} />],
          ['Object', <code key="object">{object}</code>],
          ['Address', address ?? '–'],
          ['Client', client === null ? '–' : clientName(client)],
          client !== null && clientName(client) !== client && ['User agent', <span key="agent">{client}</span>],
          ['Entry', String(id)],
        ]}
      />
      {changes.length > 0 && (
        <section className="grid gap-3">
          <h3 className="font-semibold">Details</h3>
          <KeyValues facts={changes.map(([name, text]) => [name, text] as const)} />
        </section>
      )}
    </div>
  );
}
