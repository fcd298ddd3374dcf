import type { UsageGroup } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { UsageAnswer, UsageQuestion } from './read-usage.js';
import type { UsageFilters, UsageState } from './usage-filters.js';
import { rangeBefore, sumOf, type UsageRange } from './usage-range.js';
import { useUsage } from './use-usage.js';

const YEAR_MS = 366 * 86_400_000;

export interface UsageSource {
  readonly state: Pick<UsageState, 'by' | 'live' | 'compare'>;
  readonly range: UsageRange;
  /** Null = nothing can match. */
  readonly filters: UsageFilters | null;
}

export interface UsageFigures {
  /** The whole range in one row, and the same of the period before. */
  readonly total: UseQueryResult<UsageAnswer>;
  readonly totalBefore: UseQueryResult<UsageAnswer>;
  /** By step; that of the period before only where it is compared. */
  readonly whole: UseQueryResult<UsageAnswer>;
  readonly wholeBefore: UseQueryResult<UsageAnswer>;
  /** By step and part. */
  readonly split: UseQueryResult<UsageAnswer>;
  /** The whole range by part. */
  readonly parts: UseQueryResult<UsageAnswer>;
  /** The whole range by key and outcome. */
  readonly ends: UseQueryResult<UsageAnswer>;
  /** Nothing at all was asked within a year. */
  readonly isUnused: boolean;
}

/** All that the usage screen shows. */
export function useUsageFigures({ state: { by, live: isLive, compare }, range, filters }: UsageSource): UsageFigures {
  const { from, to } = range;
  const before = rangeBefore(range);
  const ask = (span: Pick<UsageQuestion, 'from' | 'to' | 'step'>, group_by: UsageGroup[]): UsageQuestion | null =>
    filters && { from: span.from, to: span.to, step: span.step, group_by, latency: true, ...filters };
  const groups: UsageGroup[] = [by === 'none' ? 'deployment' : by];
  const total = useUsage(ask({ from, to, step: 'total' }, []), { isLive });
  const isEmpty = total.data !== undefined && sumOf(total.data.rows).requests === 0;
  const year = { from: new Date(Date.parse(to) - YEAR_MS).toISOString(), to, step: 'total' as const, group_by: [] };
  const ever = useUsage(year, { enabled: isEmpty });
  return {
    total,
    totalBefore: useUsage(ask({ ...before, step: 'total' }, [])),
    whole: useUsage(ask(range, []), { isLive }),
    wholeBefore: useUsage(ask(before, []), { enabled: compare }),
    split: useUsage(ask(range, groups), { isLive, enabled: by !== 'none' }),
    parts: useUsage(ask({ from, to, step: 'total' }, groups), { isLive }),
    ends: useUsage(ask({ from, to, step: 'total' }, ['key', 'status']), { isLive }),
    isUnused: ever.data !== undefined && sumOf(ever.data.rows).requests === 0,
  };
}
