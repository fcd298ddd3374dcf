import type { UsageRow } from '@slipway/contracts';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';
import { type BudgetName, spanOf } from './budget.js';

/** Tokens that all keys of the account used of a budget so far; null until it is known. */
export function useBudgetUse(budget: BudgetName): number | null {
  const { data } = useCall(
    'usage/query',
    { ...spanOf(budget, useNow()), step: 'total', group_by: [] },
    { every: () => 15_000, keep: true },
  );
  return data ? data.rows.reduce((sum, row) => sum + tokensOf(row), 0) : null;
}

/** Tokens that each key used of a budget so far, by its id; null until it is known. */
export function useKeyBudgetUse(budget: BudgetName): ReadonlyMap<number, number> | null {
  const { data } = useCall(
    'usage/query',
    { ...spanOf(budget, useNow()), step: 'total', group_by: ['key'] },
    { every: () => 15_000, keep: true },
  );
  return data ? new Map(data.rows.map((row) => [row.key ?? 0, tokensOf(row)])) : null;
}

const tokensOf = (row: UsageRow): number => row.prompt_tokens + row.completion_tokens;
