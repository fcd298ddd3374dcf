import type { AuditEntry } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { actorOf, doneTo, factsOf } from '../activity/activity-words.js';
import { targetOf } from '../activity/activity-target.js';
import { TargetLink } from '../activity/target-link.js';
import { useTargetNames } from '../activity/use-entries.js';
import { useCall } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { EventFeed } from '../ui/event-feed.js';
import type { IconName } from '../ui/icon.js';
import { Panel } from '../ui/page.js';

const SHOWN = 8;
const EVERY_MS = 15_000;

const ICONS: Readonly<Record<string, IconName>> = {
  ...{ key: 'key', mcp_key: 'bot', deployment: 'box', alias: 'link', member: 'people', invitation: 'mail', session: 'person' },
  ...{ user: 'person', password: 'lock', account: 'account', engine: 'server', call: 'shield', playground: 'chat' },
  ...{ dataset: 'data', job: 'train', adapter: 'layers' },
};
const BAD = ['session.sign_in_failed', 'session.locked_out', 'session.reuse_detected', 'call.refused'];

/** People act on themselves when they sign in: their name stands there already. */
const isOwn = ({ object_name: name, actor_name: actor }: AuditEntry): boolean => name !== null && name === actor;

const iconOf = ({ action }: AuditEntry): IconName => ICONS[action.split('.')[0] ?? ''] ?? 'activity';

/** The last changes in the account, of all audit logs together. */
export function RecentEvents(): JSX.Element | null {
  const { slug: account } = useAccount();
  const names = useTargetNames();
  const keys = useCall('audit/list', {}, { every: () => EVERY_MS });
  const deployments = useCall('deployment-audit/list', {}, { every: () => EVERY_MS });
  const tuning = useCall('tuning-audit/list', {}, { every: () => EVERY_MS });
  const logged = (log: string, entries: readonly AuditEntry[] = []) => entries.map((entry) => ({ log, entry }));
  const entries = [
    ...logged('account', keys.data?.entries),
    ...logged('deployments', deployments.data?.entries),
    ...logged('tuning', tuning.data?.entries),
  ]
    .toSorted((a, b) => b.entry.at.localeCompare(a.entry.at))
    .slice(0, SHOWN);
  if (entries.length === 0) return null;
  return (
    <Panel
      title="Recent activity"
      actions={
        <Link to="/$account/activity" params={{ account }} className="text-sm text-accent hover:underline">
          View all
        </Link>
      }
    >
      <EventFeed
        label="Recent activity"
        events={entries.map(({ log, entry }) => ({
          ...{ id: `${log} ${entry.id}`, at: entry.at, icon: iconOf(entry) },
          look: BAD.includes(entry.action) ? ('bad' as const) : ('plain' as const),
          text: (
            <>
              <span className="font-medium">{actorOf(entry, names.person)}</span> {doneTo(entry, targetOf(entry, names)?.text)}{' '}
              {!isOwn(entry) && <TargetLink {...{ entry, names }} />}
            </>
          ),
          ...(factsOf(entry) !== '' && { detail: factsOf(entry) }),
        }))}
      />
    </Panel>
  );
}
