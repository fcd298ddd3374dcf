import type { JSX } from 'react';
import { formatCompact, formatCount } from '../format/number.js';
import { MeterBar } from '../ui/meter.js';
import { Moment } from '../ui/moment.js';
import { useNow } from '../ui/use-now.js';
import { BUDGETS, type BudgetName, type BudgetUse, resetOf, stateOfBudget } from './budget.js';

const spanOf = (name: BudgetName): string => BUDGETS.find((budget) => budget.name === name)?.now ?? '';

/** A budget in a cell: "3.5K of 10K today" and its bar. @param of whose budget it is */
export function BudgetMeter({ use: { name, used, limit }, of }: { readonly use: BudgetUse; readonly of: string }): JSX.Element {
  const span = spanOf(name);
  return (
    <MeterBar
      label={`Tokens of ${of} ${span}`}
      used={used}
      limit={limit}
      text={`${formatCompact(used)} of ${formatCompact(limit)} ${span}`}
      words={`${formatCount(used)} of ${formatCount(limit)} tokens used ${span}`}
    />
  );
}

/** Budgets in full: used, limit, and when each resets. */
export function BudgetMeters({ uses, of }: { readonly uses: readonly BudgetUse[]; readonly of: string }): JSX.Element {
  const now = useNow();
  return (
    <ul className="grid gap-4">
      {uses.map(({ name, used, limit }) => (
        <li key={name} className="grid gap-1">
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-medium">{`Tokens ${spanOf(name)}`}</span>
            <span className="text-sm text-muted">
              resets <Moment at={resetOf(name, now)} />
            </span>
          </div>
          <MeterBar
            label={`Tokens of ${of} ${spanOf(name)}`}
            used={used}
            limit={limit}
            text={`${formatCount(used)} of ${formatCount(limit)} used`}
          />
          {stateOfBudget(used, limit) === 'used_up' && <p className="text-sm text-bad">Requests are refused (429) until then.</p>}
        </li>
      ))}
    </ul>
  );
}
