import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { useCall } from '../api/use-call.js';
import { stateOfBudget } from '../api-keys/budget.js';
import { slugOf } from '../deployments/inference-target.js';
import { StateBadge } from '../deployments/state-badge.js';
import { REASONS } from '../deployments/state-words.js';
import { formatCount } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { Moment } from '../ui/moment.js';
import { Panel } from '../ui/page.js';
import { useNow } from '../ui/use-now.js';
import { expiringSoon, needsAttention } from './attention.js';

/** Deployments, budgets and keys that somebody should look at; nothing where all is well. */
export function AttentionPanels(): JSX.Element {
  return (
    <div className="grid gap-4 empty:hidden lg:grid-cols-3">
      <Deployments />
      <Budgets />
      <Keys />
    </div>
  );
}

const List = ({ children }: { readonly children: ReactNode }): JSX.Element => <ul className="grid gap-3">{children}</ul>;

function Deployments(): JSX.Element | null {
  const { slug: account } = useAccount();
  const { data } = useCall('deployments/list', {});
  const found = needsAttention(data?.deployments ?? []);
  if (found.length === 0) return null;
  return (
    <Panel title="Deployments that need attention">
      <List>
        {found.map((one) => (
          <li key={one.id} className="grid gap-0.5">
            <div className="flex items-center justify-between gap-2">
              <Link
                to="/$account/deployments/$slug"
                params={{ account, slug: slugOf(one) }}
                className="truncate font-medium hover:underline"
                title={one.name}
              >
                {one.name}
              </Link>
              <StateBadge deployment={one} />
            </div>
            {one.reason && <p className="text-muted">{REASONS[one.reason].text}</p>}
          </li>
        ))}
      </List>
    </Panel>
  );
}

const SPANS = [
  ['tokens_per_day', 'Tokens today'],
  ['tokens_per_month', 'Tokens this month'],
] as const;

function Budgets(): JSX.Element | null {
  const { slug: account } = useAccount();
  const { data } = useCall('account-limits/find', {}, { every: () => 30_000 });
  const nearly = SPANS.flatMap(([name, label]) => {
    const [limit, used] = [data?.limits[name], data?.used?.[name]];
    return limit !== undefined && used !== undefined && stateOfBudget(used, limit) !== 'plenty' ? [{ name, label, limit, used }] : [];
  });
  if (nearly.length === 0) return null;
  return (
    <Panel title="Budgets nearly used">
      <List>
        {nearly.map(({ name, label, limit, used }) => (
          <li key={name}>
            <Link to="/$account/settings" params={{ account }} search={{ tab: 'limits' }} className="font-medium hover:underline">
              {label}
            </Link>
            <p className={used >= limit ? 'text-bad' : 'text-muted'}>
              {formatCount(used)} of {formatCount(limit)} used{used >= limit && ': requests are refused (429)'}
            </p>
          </li>
        ))}
      </List>
    </Panel>
  );
}

function Keys(): JSX.Element | null {
  const { slug: account } = useAccount();
  const now = useNow();
  const { data } = useCall('keys/list', {});
  const found = expiringSoon(data?.keys ?? [], now);
  if (found.length === 0) return null;
  return (
    <Panel title="Keys about to expire">
      <List>
        {found.map(({ id, name, expires_at: at }) => (
          <li key={id} className="flex items-center justify-between gap-2">
            <Link
              to="/$account/api-keys/$id"
              params={{ account, id: String(id) }}
              className="truncate font-medium hover:underline"
              title={name}
            >
              {name}
            </Link>
            <span className="text-muted">
              <Moment at={at} />
            </span>
          </li>
        ))}
      </List>
    </Panel>
  );
}
