import type { ConsoleRequest, UsageRow } from '@slipway/contracts';
import { useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';
import { rangeOf, type Sums, sumOf } from '../usage/usage-range.js';

/** What every deployment did in the last hour; null while it is not known. */
export function useDeploymentUse(): ((id: number) => Sums) | null {
  const { from, to } = rangeOf('1h', useNow());
  const question: ConsoleRequest<'usage/query'> = { from, to, step: 'total', group_by: ['deployment'], latency: true };
  const { data } = useCall('usage/query', question, { every: () => 15_000, keep: true });
  return useMemo(() => {
    if (!data) return null;
    const known = new Map<number | undefined, UsageRow>(data.rows.map((row) => [row.deployment, row]));
    return (id: number) => known.get(id) ?? sumOf([]);
  }, [data]);
}
