import type { DeploymentView, KeyView, StateReason } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { stateOfBudget } from '../api-keys/budget.js';
import { useEveryDeployment, useEveryKey } from '../api/lists.js';
import { useCall } from '../api/use-call.js';
import { slugOf } from '../deployments/inference-target.js';
import { StateBadge } from '../deployments/state-badge.js';
import { REASONS } from '../deployments/state-words.js';
import { formatCompact, formatCount } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { buttonClass } from '../ui/button.js';
import { MeterBar } from '../ui/meter.js';
import { Moment } from '../ui/moment.js';
import { Panel } from '../ui/page.js';
import { useNow } from '../ui/use-now.js';

const DAY_MS = 86_400_000;
/** Keys that end within this time are named, in milliseconds. */
const SOON_MS = 14 * DAY_MS;

/** Deployments that do not serve as they should, the worst first. */
export function needsAttention(deployments: readonly DeploymentView[]): readonly DeploymentView[] {
  const rank = (one: DeploymentView): number => {
    if (one.state === 'failed') return 0;
    if (one.state === 'degraded') return 1;
    if (one.state === 'pending') return 2;
    // An update that failed leaves the revision before serving.
    return one.reason !== null && one.serving_rev !== null && (one.serving_rev ?? one.rev) < one.rev ? 3 : 4;
  };
  return deployments.filter((one) => rank(one) < 4).toSorted((a, b) => rank(a) - rank(b));
}

/** Active keys that end within 14 days, the next one first. */
export function expiringSoon(keys: readonly KeyView[], now: number): readonly (KeyView & { readonly expires_at: string })[] {
  return keys
    .filter((key): key is KeyView & { expires_at: string } => {
      const at = key.state === 'active' && key.expires_at ? Date.parse(key.expires_at) : Number.NaN;
      return at > now && at - now <= SOON_MS;
    })
    .toSorted((a, b) => a.expires_at.localeCompare(b.expires_at));
}

/** How many of a kind are named; the rest is a number. */
const SHOWN = 5;

/** Deployments, budgets and keys that somebody should look at; nothing where all is well. */
export function AttentionPanels(): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden lg:grid-cols-[repeat(auto-fit,minmax(20rem,1fr))]">
      <Deployments />
      <Budgets />
      <Keys />
    </div>
  );
}

const List = ({ children }: { readonly children: ReactNode }): JSX.Element => <ul className="grid">{children}</ul>;
const ROW = 'flex flex-wrap items-center gap-x-3 gap-y-1 border-line py-2 not-last:border-b';

/** Where a reason is looked into. */
const PLACES: Readonly<Record<StateReason, 'logs' | 'settings' | 'overview'>> = {
  no_worker: 'overview',
  no_capacity: 'settings',
  model_missing: 'settings',
  model_invalid: 'settings',
  engine_unreachable: 'settings',
  engine_refused: 'settings',
  engine_crashed: 'logs',
  out_of_memory: 'settings',
  download_failed: 'logs',
  adapter_missing: 'settings',
  adapter_mismatch: 'settings',
  witness_failed: 'logs',
};
const PLACE_WORDS = { logs: 'View logs', settings: 'Open settings', overview: 'Open' } as const;

function Deployments(): JSX.Element | null {
  const { data } = useEveryDeployment();
  const found = needsAttention(data ?? []);
  if (found.length === 0) return null;
  return (
    <Panel title="Deployments that need attention">
      <List>
        {found.slice(0, SHOWN).map((one) => (
          <DeploymentRow key={one.id} deployment={one} />
        ))}
      </List>
      <Rest count={found.length - SHOWN} />
    </Panel>
  );
}

function DeploymentRow({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const { slug: account } = useAccount();
  const { name, reason } = deployment;
  const tab = reason === null ? 'overview' : PLACES[reason];
  const params = { account, slug: slugOf(deployment) };
  return (
    <li className={ROW}>
      <div className="min-w-0 flex-1">
        <Link to="/$account/deployments/$slug" params={params} className="block truncate font-medium hover:underline" title={name}>
          {name}
        </Link>
        {reason !== null && <p className="text-sm text-muted">{REASONS[reason].text}</p>}
      </div>
      <StateBadge deployment={deployment} />
      <Link to="/$account/deployments/$slug" params={params} search={{ tab }} className={buttonClass('plain')}>
        {PLACE_WORDS[tab]}
      </Link>
    </li>
  );
}

const Rest = ({ count }: { readonly count: number }): JSX.Element | null =>
  count > 0 ? <p className="text-sm text-muted">and {formatCount(count)} more</p> : null;

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
    <Panel
      title="Budgets nearly used"
      actions={
        <Link to="/$account/settings" params={{ account }} search={{ tab: 'limits' }} className="text-sm text-accent hover:underline">
          View limits
        </Link>
      }
    >
      {nearly.map(({ name, label, limit, used }) => (
        <div key={name} className="grid gap-1">
          <MeterBar
            {...{ label, used, limit }}
            text={`${label}: ${formatCompact(used)} of ${formatCompact(limit)}`}
            words={`${formatCount(used)} of ${formatCount(limit)} tokens used`}
          />
          {used >= limit && <p className="text-sm text-bad">Used up: requests get 429.</p>}
        </div>
      ))}
    </Panel>
  );
}

function Keys(): JSX.Element | null {
  const { slug: account } = useAccount();
  const now = useNow();
  const { data } = useEveryKey();
  const found = expiringSoon(data ?? [], now);
  if (found.length === 0) return null;
  return (
    <Panel title="Keys about to expire">
      <List>
        {found.slice(0, SHOWN).map(({ id, name, expires_at: at }) => (
          <li key={id} className={ROW}>
            <Link
              to="/$account/api-keys/$id"
              params={{ account, id: String(id) }}
              className="min-w-0 flex-1 truncate font-medium hover:underline"
              title={name}
            >
              {name}
            </Link>
            <span className="text-sm text-muted">
              <Moment at={at} />
            </span>
          </li>
        ))}
      </List>
      <Rest count={found.length - SHOWN} />
    </Panel>
  );
}
