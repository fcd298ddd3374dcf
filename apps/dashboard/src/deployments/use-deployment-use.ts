import { useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** What a deployment did in the last hour. */
export interface HourOfUse {
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
}

const NOTHING: HourOfUse = { requests: 0, errors: 0, tokens: 0 };

/** The last hour of every deployment; null while it is not known. */
export function useDeploymentUse(): ((id: number) => HourOfUse) | null {
  const minute = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const range = { from: new Date(minute - HOUR_MS).toISOString(), to: new Date(minute).toISOString() };
  const { data } = useCall('usage/query', { ...range, step: 'total', group_by: ['deployment'] }, { every: () => 15_000, keep: true });
  return useMemo(() => {
    if (!data) return null;
    const sums = new Map<number, HourOfUse>();
    for (const { deployment, requests, errors, completion_tokens: tokens } of data.rows) {
      if (deployment !== undefined) sums.set(deployment, { requests, errors, tokens });
    }
    return (id: number) => sums.get(id) ?? NOTHING;
  }, [data]);
}
