import type { JobView, MetricPoint } from '@slipway/contracts';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { againAfter } from '../api/query-client.js';
import { call } from '../api/use-call.js';
import { mergePoints } from './job-curve.js';
import { isOver } from './job-words.js';
import { LOOK_EVERY_MS } from './use-jobs.js';

/** More points are read again as a whole: the service thins them out. */
const POINTS_MAX = 4_000;

/** The curve of a job. While it runs only what is new is asked for; an attempt that goes back reads all of it again. */
export function useMetrics(job: JobView): UseQueryResult<readonly MetricPoint[]> {
  const client = useQueryClient();
  const queryKey = ['jobs/metrics', job.id, job.attempt, isOver(job)];
  return useQuery<readonly MetricPoint[]>({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<readonly MetricPoint[]>(queryKey) ?? [];
      const isWhole = known.length === 0 || known.length > POINTS_MAX;
      const since = known.at(-1)?.step ?? 0;
      const { points } = await call('jobs/metrics', { job: job.id, ...(!isWhole && { since }) }, signal);
      return isWhole ? points : mergePoints(known, points);
    },
    refetchInterval: ({ state }) => (isOver(job) ? false : LOOK_EVERY_MS.running) || againAfter(state.error),
    placeholderData: (before) => before,
  });
}
