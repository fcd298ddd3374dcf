import type { ConsoleRequest, UsageRow } from '@slipway/contracts';
import { useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { useNow } from '../ui/use-now.js';
import { lastRange, type Sums, sumOf } from '../usage/usage-range.js';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Most rows of one answer; the contract's `USAGE_ROWS_MAX`, of which this page takes types alone. */
const ROWS_MAX = 4_000;
const EVERY_MS = 15_000;

/** What every deployment did in the last hour; null while it is not known. */
export function useDeploymentUse(): ((id: number) => Sums) | null {
  const { from, to } = lastRange('1h', useNow());
  const question: ConsoleRequest<'usage/query'> = { from, to, step: 'total', group_by: ['deployment'], latency: true };
  const { data } = useCall('usage/query', question, { every: () => EVERY_MS, keep: true });
  return useMemo(() => {
    if (!data) return null;
    const known = new Map<number | undefined, UsageRow>(data.rows.map((row) => [row.deployment, row]));
    return (id: number) => known.get(id) ?? sumOf([]);
  }, [data]);
}

/** Hours of requests that one answer can hold for so many deployments, at most a day. */
export const courseHours = (deployments: number): number =>
  Math.max(1, Math.min(DAY_HOURS, Math.floor(ROWS_MAX / Math.max(1, deployments))));

/** Rows of usage as requests by hour, for each deployment. @param from begin of the first hour, in milliseconds */
export function coursesOf(
  rows: readonly Pick<UsageRow, 'deployment' | 'from' | 'requests'>[],
  from: number,
  hours: number,
): ReadonlyMap<number, readonly number[]> {
  const courses = new Map<number, number[]>();
  for (const { deployment, from: at, requests } of rows) {
    const hour = Math.floor((Date.parse(at) - from) / HOUR_MS);
    if (deployment === undefined || hour < 0 || hour >= hours) continue;
    const course = courses.get(deployment) ?? Array.from({ length: hours }, () => 0);
    course[hour] = (course[hour] ?? 0) + requests;
    courses.set(deployment, course);
  }
  return courses;
}

/** Requests by hour of each deployment, up to the hour that runs: a day, or less where the account has many. */
export function useCourses(deployments: number | undefined): ReadonlyMap<number, readonly number[]> {
  const hours = courseHours(deployments ?? 0);
  const to = Math.floor(useNow() / HOUR_MS) * HOUR_MS + HOUR_MS;
  const from = to - hours * HOUR_MS;
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { data } = useCall(
    'usage/query',
    { ...span, step: 'hour', group_by: ['deployment'] },
    { enabled: deployments !== undefined && deployments > 0, every: () => 4 * EVERY_MS, keep: true },
  );
  return useMemo(() => coursesOf(data?.rows ?? [], from, hours), [data, from, hours]);
}
