import type { ConsoleReply, Limits } from '@slipway/contracts';
import type { LimitName } from './key-limits.js';

/** Limits of tokens in a UTC day or month. */
export type BudgetName = Extract<LimitName, 'tokens_per_day' | 'tokens_per_month'>;

/** Both budgets with the words for their time. */
export const BUDGETS: readonly { readonly name: BudgetName; readonly span: 'day' | 'month'; readonly now: string }[] = [
  { name: 'tokens_per_day', span: 'day', now: 'today' },
  { name: 'tokens_per_month', span: 'month', now: 'this month' },
];

export const isBudget = (name: LimitName): name is BudgetName => BUDGETS.some((budget) => budget.name === name);

/** The current UTC day or month up to the end of today, as budgets count. */
export function spanOf(budget: BudgetName, now: number): { readonly from: string; readonly to: string } {
  const day = new Date(now).toISOString().slice(0, 10);
  const first = budget === 'tokens_per_day' ? day : `${day.slice(0, 7)}-01`;
  return { from: `${first}T00:00:00.000Z`, to: new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString() };
}

/** When a budget begins anew. */
export function resetOf(budget: BudgetName, now: number): string {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(budget === 'tokens_per_day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)).toISOString();
}

/** From this share on a budget is nearly used up. */
const NEARLY = 0.8;

/** How much of a budget is used. */
export function stateOfBudget(used: number, limit: number): 'plenty' | 'nearly' | 'used_up' {
  if (used >= limit) return 'used_up';
  return used >= NEARLY * limit ? 'nearly' : 'plenty';
}

/** A budget and what is used of it. */
export interface BudgetUse {
  readonly name: BudgetName;
  readonly used: number;
  readonly limit: number;
}

/** The budgets among some limits with their use; those whose use is not known are left out. */
export const usesOf = (limits: Limits | undefined, used: (name: BudgetName) => number | undefined): readonly BudgetUse[] =>
  BUDGETS.flatMap(({ name }) => {
    const [limit, amount] = [limits?.[name], used(name)];
    return limit === undefined || amount === undefined ? [] : [{ name, used: amount, limit }];
  });

/** The budget of which the largest share is used; null = there is none. */
export const tightestOf = (uses: readonly BudgetUse[]): BudgetUse | null =>
  uses.reduce<BudgetUse | null>(
    (tightest, use) => (tightest && tightest.used / tightest.limit >= use.used / use.limit ? tightest : use),
    null,
  );

/** The budget of the account that everyone should know of: one that is used up before one that is nearly so; null = none. */
export function alarmOf({ limits, used }: ConsoleReply<'account-limits/find'>): BudgetUse | null {
  const tightest = tightestOf(usesOf(limits, (name) => used?.[name]));
  return tightest && stateOfBudget(tightest.used, tightest.limit) !== 'plenty' ? tightest : null;
}
