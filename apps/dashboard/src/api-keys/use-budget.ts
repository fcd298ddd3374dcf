import type { UsageRow } from '@slipway/contracts';
import { useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';
import { type BudgetName, spanOf } from './budget.js';

/** Tokens as budgets count them: of prompts and answers together. */
export const tokensOf = (row: Pick<UsageRow, 'prompt_tokens' | 'completion_tokens'>): number => row.prompt_tokens + row.completion_tokens;

/**
 * Tokens that each key has used of a budget, by its number; null while they are not known. All keys of the account are asked for
 * at once, so every screen shares one answer.
 */
export function useKeyBudgetUse(budget: BudgetName, enabled: boolean): ReadonlyMap<number, number> | null {
  const question = { ...spanOf(budget, useNow()), step: 'total', group_by: ['key'] } as const;
  const { data } = useCall('usage/query', { ...question, group_by: ['key'] }, { every: () => 15_000, keep: true, enabled });
  return useMemo(() => (data ? new Map(data.rows.map((row) => [row.key ?? 0, tokensOf(row)])) : null), [data]);
}
