import type { ConsoleReply, Limits } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount, plural } from '../format/number.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { type BudgetName, isBudget, stateOfBudget } from './budget.js';
import { LIMITS } from './key-limits.js';
import { BudgetBar } from './budget-bar.js';
import { useBudgetUse } from './use-budget.js';

const useAccountLimits = (): UseQueryResult<ConsoleReply<'account-limits/find'>> =>
  useCall('account-limits/find', {}, { every: () => 30_000 });

/** What all keys of the account may use together. Operators set it; here it is read. */
export function AccountLimits(): JSX.Element {
  const found = useAccountLimits();
  return (
    <Panel title="Limits of the account">
      <Loaded query={found} what="Limits of the account" rows={1}>
        {({ limits }) => <Held limits={limits} />}
      </Loaded>
      <p className="text-sm text-muted">They hold for all keys together, beside what a key is limited to itself. The operator sets them.</p>
    </Panel>
  );
}

/** Says that a budget of the account is used up, so that its keys get no answers; nothing where none is. */
export function UsedUpBudgets(): JSX.Element {
  const { data } = useAccountLimits();
  return (
    <>
      {LIMITS.map(({ name }) => {
        const limit = data?.limits[name];
        return limit !== undefined && isBudget(name) ? <UsedUp key={name} budget={name} limit={limit} /> : null;
      })}
    </>
  );
}

interface BudgetProps {
  readonly budget: BudgetName;
  readonly limit: number;
}

function UsedUp({ budget, limit }: BudgetProps): JSX.Element | null {
  const used = useBudgetUse(budget);
  if (used === null || stateOfBudget(used, limit) !== 'used_up') return null;
  const span = budget === 'tokens_per_day' ? 'day' : 'month';
  return (
    <Notice look="bad">
      The account’s budget of {plural(limit, 'token')} per {span} is used up. Requests with its keys are refused (429) until the next {span}{' '}
      begins, in UTC. The operator sets the budget.
    </Notice>
  );
}

function Held({ limits }: { readonly limits: Limits }): JSX.Element {
  const held = LIMITS.flatMap(({ name, label }) => {
    const limit = limits[name];
    return limit === undefined ? [] : [{ name, label, limit }];
  });
  if (held.length === 0) return <p>None: what keys use together is not limited.</p>;
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-5">
      {held.map(({ name, label, limit }) => (
        <div key={name} className="min-w-0">
          <dt className="text-sm text-muted">{label}</dt>
          <dd>{isBudget(name) ? <Used budget={name} limit={limit} /> : formatCount(limit)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Used({ budget, limit }: BudgetProps): JSX.Element {
  const used = useBudgetUse(budget);
  return used === null ? <>{formatCount(limit)}</> : <BudgetBar used={used} limit={limit} />;
}
