import type { Limits } from '@slipway/contracts';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { useNow } from '../ui/use-now.js';
import { type LimitName, LIMITS } from './key-limits.js';

/** What all keys of the account may use together. Operators set it; here it is read. */
export function AccountLimits(): JSX.Element {
  const found = useCall('account-limits/find', {}, { every: () => 30_000 });
  return (
    <Panel title="Limits of the account">
      <Loaded query={found} what="Limits of the account" rows={1}>
        {({ limits }) => <Held limits={limits} />}
      </Loaded>
      <p className="text-sm text-muted">They hold for all keys together, beside what a key is limited to itself. The operator sets them.</p>
    </Panel>
  );
}

function Held({ limits }: { readonly limits: Limits }): JSX.Element {
  const held = LIMITS.filter(({ name }) => limits[name] !== undefined);
  if (held.length === 0) return <p>None: what keys use together is not limited.</p>;
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-5">
      {held.map(({ name, label }) => (
        <div key={name} className="min-w-0">
          <dt className="text-sm text-muted">{label}</dt>
          <dd>
            {formatCount(limits[name] ?? 0)}
            {isBudget(name) && <Used budget={name} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Budget = Extract<LimitName, 'tokens_per_day' | 'tokens_per_month'>;
const isBudget = (name: LimitName): name is Budget => name === 'tokens_per_day' || name === 'tokens_per_month';

/** The day or month of UTC that runs, as budgets count. */
function spanOf(budget: Budget, now: number): { readonly from: string; readonly to: string } {
  const day = new Date(now).toISOString().slice(0, 10);
  const first = budget === 'tokens_per_day' ? day : `${day.slice(0, 7)}-01`;
  return { from: `${first}T00:00:00.000Z`, to: new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString() };
}

function Used({ budget }: { readonly budget: Budget }): JSX.Element | null {
  const { data } = useCall(
    'usage/query',
    { ...spanOf(budget, useNow()), step: 'total', group_by: [] },
    { every: () => 15_000, keep: true },
  );
  if (!data) return null;
  const used = data.rows.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0);
  return <span className="block text-sm text-muted">{formatCount(used)} used</span>;
}
