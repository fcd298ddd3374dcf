import type { Limits } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatCount } from '../format/number.js';
import { type BudgetName, stateOfBudget } from './budget.js';
import { useKeyBudgetUse } from './use-budget.js';

const BARS = { plenty: 'fill-accent', nearly: 'fill-warn', used_up: 'fill-bad' } as const;

/** How much of a budget is used, in words and as a bar. @param span what it is of, behind the figures */
export function BudgetBar({
  used,
  limit,
  span = '',
}: {
  readonly used: number;
  readonly limit: number;
  readonly span?: string;
}): JSX.Element {
  const state = stateOfBudget(used, limit);
  return (
    <>
      <span className={state === 'used_up' ? 'font-semibold text-bad' : ''}>
        {formatCount(used)} of {formatCount(limit)} used{span}
      </span>
      {/* The text before says the same. */}
      <svg aria-hidden="true" className="mt-1 h-1.5 w-full overflow-hidden rounded-full">
        <rect className="fill-sunken" width="100%" height="100%" />
        <rect className={BARS[state]} width={`${Math.min(100, (100 * used) / limit)}%`} height="100%" />
      </svg>
    </>
  );
}

const SPANS: readonly (readonly [BudgetName, string])[] = [
  ['tokens_per_day', ' today'],
  ['tokens_per_month', ' this month'],
];

/** The budgets of one key and what it used of them; nothing where it has none. */
export function KeyBudgets({ id, limits = {} }: { readonly id: number; readonly limits?: Limits | undefined }): JSX.Element {
  return (
    <>
      {SPANS.map(([budget, span]) => {
        const limit = limits[budget];
        return limit === undefined ? null : <KeyBudget key={budget} id={id} budget={budget} limit={limit} span={span} />;
      })}
    </>
  );
}

interface KeyBudgetProps {
  readonly id: number;
  readonly budget: BudgetName;
  readonly limit: number;
  readonly span: string;
}

/** Keys of one page ask once: the question is the same. */
function KeyBudget({ id, budget, limit, span }: KeyBudgetProps): JSX.Element | null {
  const used = useKeyBudgetUse(budget);
  return (
    used && (
      <div className="mt-1 text-sm text-muted">
        <BudgetBar used={used.get(id) ?? 0} limit={limit} span={span} />
      </div>
    )
  );
}
