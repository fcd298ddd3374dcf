import type { KeyView, UsageRow } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useEveryKey } from '../api/lists.js';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';
import { type KeyRow, rowsOf } from './key-rows.js';
import { useKeyBudgetUse } from './use-budget.js';

const DAY_MS = 86_400_000;
const EVERY_MS = 10_000;

/** What each key used in the last 30 days; null while it is not known. */
function useMonth(): readonly UsageRow[] | null {
  const today = Math.floor(useNow() / DAY_MS) * DAY_MS;
  const range = { from: new Date(today - 30 * DAY_MS).toISOString(), to: new Date(today + DAY_MS).toISOString() };
  const { data } = useCall('usage/query', { ...range, step: 'total', group_by: ['key'] }, { every: () => 30_000, keep: true });
  return data?.rows ?? null;
}

/** All keys with what they used. */
export function useKeyRows(): { readonly query: UseQueryResult<readonly KeyView[]>; readonly rows: readonly KeyRow[] | undefined } {
  const query = useEveryKey(EVERY_MS);
  const now = useNow();
  const month = useMonth();
  const keys = query.data;
  const day = useKeyBudgetUse('tokens_per_day', keys?.some(({ limits }) => limits?.tokens_per_day !== undefined) ?? false);
  const thisMonth = useKeyBudgetUse('tokens_per_month', keys?.some(({ limits }) => limits?.tokens_per_month !== undefined) ?? false);
  const rows = useMemo(
    () => keys && rowsOf(keys, { now, month, used: { tokens_per_day: day, tokens_per_month: thisMonth } }),
    [keys, now, month, day, thisMonth],
  );
  return { query, rows };
}
