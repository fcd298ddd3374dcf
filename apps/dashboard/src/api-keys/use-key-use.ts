import { useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Requests of each key in the last 24 hours, in steps of an hour at its beginning; null while that is not known. */
export function useKeyUse(): ReadonlyMap<number, number> | null {
  const hour = Math.floor(useNow() / HOUR_MS) * HOUR_MS;
  const range = { from: new Date(hour - DAY_MS).toISOString(), to: new Date(hour + HOUR_MS).toISOString() };
  const { data } = useCall('usage/query', { ...range, step: 'total', group_by: ['key'] }, { every: () => 30_000 });
  return useMemo(() => {
    if (!data) return null;
    return new Map(data.rows.flatMap(({ key, requests }) => (key === undefined ? [] : [[Number(key), requests] as const])));
  }, [data]);
}
