import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { alarmOf, BUDGETS, resetOf, stateOfBudget } from '../api-keys/budget.js';
import { formatCount, formatPercent } from '../format/number.js';
import { formatUtc } from '../format/time.js';
import { useAccount } from '../session/use-session.js';
import { Notice } from '../ui/notice.js';
import { useNow } from '../ui/use-now.js';

/** Says on every screen that a budget of the account is used up or nearly so, and when it begins anew. */
export function BudgetNotice(): JSX.Element | null {
  const { slug: account } = useAccount();
  const now = useNow();
  const { data } = useCall('account-limits/find', {}, { enabled: account !== '', every: () => 30_000 });
  const alarm = data && alarmOf(data);
  if (!alarm) return null;
  const { name, used, limit } = alarm;
  const span = BUDGETS.find((budget) => budget.name === name)?.span ?? 'day';
  const budget = `${formatCount(limit)} ${limit === 1 ? 'token' : 'tokens'} per ${span}`;
  const until = formatUtc(resetOf(name, now)).replace(':00 UTC', ' UTC');
  const isOver = stateOfBudget(used, limit) === 'used_up';
  return (
    <div className="px-4 pt-3 md:px-6">
      <Notice
        look={isOver ? 'bad' : 'warn'}
        action={
          <Link to="/$account/settings" params={{ account }} search={{ tab: 'limits' }} className="font-medium text-accent hover:underline">
            Limits and budgets
          </Link>
        }
      >
        {isOver
          ? `The account’s budget of ${budget} is used up. Requests are refused (429) until ${until}.`
          : `The account has used ${formatPercent(used / limit)} of its budget of ${budget}. When it is used up, requests are refused (429) until ${until}.`}
      </Notice>
    </div>
  );
}
