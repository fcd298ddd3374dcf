import type { KeyView, Limits } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { formatCount } from '../format/number.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { KeyValues } from '../ui/key-values.js';
import { Moment } from '../ui/moment.js';
import { Panel } from '../ui/page.js';
import { isBudget, usesOf } from './budget.js';
import { BudgetMeters } from './budget-meter.js';
import { LIMITS } from './key-limits.js';
import { actionsOf, type KeyAction } from './key-state.js';
import { useKeyBudgetUse } from './use-budget.js';
import { useDeploymentNames } from '../api/lists.js';

export interface KeyLimitsTabProps {
  readonly subject: KeyView;
  readonly onAction: (action: KeyAction) => void;
}

/** What a key may use, call and until when, each part with the way to change it. */
export function KeyLimitsTab({ subject, onAction }: KeyLimitsTabProps): JSX.Element {
  const mayChange = useMayChange();
  const edit = (action: KeyAction, label: string): ReactNode =>
    mayChange && actionsOf(subject).includes(action) ? <Button onClick={() => onAction(action)}>{label}</Button> : undefined;
  const { expires_at: expiresAt, rotated_at: rotatedAt } = subject;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <Panel title="Limits" actions={edit('limits', 'Edit limits')}>
        <KeyLimits subject={subject} />
      </Panel>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Panel title="Access" actions={edit('access', 'Edit access')}>
          <Access deployments={subject.deployments ?? null} />
        </Panel>
        <Panel title="Expiry" actions={edit('expiry', 'Edit expiry')}>
          <KeyValues
            facts={[
              ['Expires', expiresAt == null ? 'Never' : <Moment at={expiresAt} exact />],
              ['Value since', <Moment key="since" at={rotatedAt ?? subject.created_at} exact />],
            ]}
          />
        </Panel>
      </div>
    </div>
  );
}

function KeyLimits({ subject: { id, name, limits } }: { readonly subject: KeyView }): JSX.Element {
  const day = useKeyBudgetUse('tokens_per_day', limits?.tokens_per_day !== undefined);
  const month = useKeyBudgetUse('tokens_per_month', limits?.tokens_per_month !== undefined);
  const used = { tokens_per_day: day, tokens_per_month: month };
  return <LimitsHeld limits={limits ?? {}} of={name} usedOf={(budget) => (used[budget] ? (used[budget].get(id) ?? 0) : undefined)} />;
}

export interface LimitsHeldProps {
  readonly limits: Limits;
  /** Whose limits they are. */
  readonly of: string;
  /** Tokens used of a budget; undefined = not known. */
  readonly usedOf: Parameters<typeof usesOf>[1];
}

/** All limits: budgets that are set with their meters, the others as numbers. */
export function LimitsHeld({ limits, of, usedOf }: LimitsHeldProps): JSX.Element {
  const uses = usesOf(limits, usedOf);
  const others = LIMITS.filter(({ name }) => !uses.some((use) => use.name === name));
  return (
    <>
      {uses.length > 0 && <BudgetMeters uses={uses} of={of} />}
      <KeyValues
        facts={others.map(({ name, label }) => [
          label,
          <Limit key={name} value={limits[name]} used={isBudget(name) ? usedOf(name) : undefined} />,
        ])}
      />
    </>
  );
}

function Limit({ value, used }: { readonly value: number | undefined; readonly used: number | undefined }): JSX.Element {
  if (value !== undefined) return <span className="tabular-nums">{formatCount(value)}</span>;
  return <span className="text-muted tabular-nums">No limit{used !== undefined && ` · ${formatCount(used)} used`}</span>;
}

function Access({ deployments }: { readonly deployments: readonly number[] | null }): JSX.Element {
  const { slug: account } = useAccount();
  const nameOf = useDeploymentNames();
  if (deployments === null) return <p>All deployments of this account, including ones created later.</p>;
  return (
    <ul aria-label="Deployments this key can call" className="grid max-h-80 gap-1 overflow-y-auto">
      {deployments.map((id) => (
        <li key={id} className="flex min-w-0 items-baseline justify-between gap-3 border-line py-1 not-last:border-b">
          <Link
            to="/$account/deployments/$slug"
            params={{ account, slug: `deployment-${id}` }}
            title={nameOf(id)}
            className="min-w-0 truncate font-medium hover:underline"
          >
            {nameOf(id)}
          </Link>
          <code className="shrink-0 text-xs text-muted">deployment-{id}</code>
        </li>
      ))}
    </ul>
  );
}
