import type { LimitName } from './key-limits.js';

/** Limits that a day or a month of UTC has. */
export type BudgetName = Extract<LimitName, 'tokens_per_day' | 'tokens_per_month'>;

export const isBudget = (name: LimitName): name is BudgetName => name === 'tokens_per_day' || name === 'tokens_per_month';

/** The day or month of UTC that runs, as budgets count. */
export function spanOf(budget: BudgetName, now: number): { readonly from: string; readonly to: string } {
  const day = new Date(now).toISOString().slice(0, 10);
  const first = budget === 'tokens_per_day' ? day : `${day.slice(0, 7)}-01`;
  return { from: `${first}T00:00:00.000Z`, to: new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString() };
}

/** From this share on a budget is nearly used up. */
const NEARLY = 0.8;

/** How much of a budget is gone. */
export function stateOfBudget(used: number, limit: number): 'plenty' | 'nearly' | 'used_up' {
  if (used >= limit) return 'used_up';
  return used >= NEARLY * limit ? 'nearly' : 'plenty';
}
