import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { actorOf, doneOf, objectOf } from '../activity/activity-words.js';
import { useCall } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { Moment } from '../ui/moment.js';
import { Panel } from '../ui/page.js';

const SHOWN = 8;

/** The last changes in the account, of both audit logs together. */
export function RecentEvents(): JSX.Element | null {
  const { slug: account } = useAccount();
  const keys = useCall('audit/list', {});
  const deployments = useCall('deployment-audit/list', {});
  const entries = [...(keys.data?.entries ?? []), ...(deployments.data?.entries ?? [])]
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, SHOWN);
  if (entries.length === 0) return null;
  return (
    <Panel
      title="Recent activity"
      actions={
        <Link to="/$account/activity" params={{ account }} className="text-accent hover:underline">
          Activity
        </Link>
      }
    >
      <ul className="grid gap-2">
        {entries.map((entry) => (
          <li key={`${entry.action} ${entry.id}`} className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 truncate">
              {actorOf(entry, () => undefined)} {doneOf(entry)} <span className="font-medium">{objectOf(entry)}</span>
            </span>
            <span className="text-muted">
              <Moment at={entry.at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
