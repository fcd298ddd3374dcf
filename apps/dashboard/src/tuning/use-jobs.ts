import type { AdapterView, ConsoleReply, JobView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ListPage, useAll } from '../api/use-all.js';
import { isOver } from './job-words.js';

/** How soon a job that runs is looked at again, and a list in which none runs, in milliseconds. */
export const LOOK_EVERY_MS = { running: 2_000, settled: 15_000 } as const;

const jobsIn = ({ jobs, next }: ConsoleReply<'jobs/list'>): ListPage<'jobs/list', JobView> => ({
  rows: jobs,
  next: next === null ? null : { before: next },
});
const adaptersIn = ({ adapters, next }: ConsoleReply<'adapters/list'>): ListPage<'adapters/list', AdapterView> => ({
  rows: adapters,
  next: next === null ? null : { before: next },
});

/** All jobs of the account, newest first, kept fresh. */
export const useJobs = (enabled = true): UseQueryResult<readonly JobView[]> =>
  useAll('jobs/list', {}, jobsIn, {
    enabled,
    every: (jobs) => (jobs?.every(isOver) === false ? LOOK_EVERY_MS.running : LOOK_EVERY_MS.settled),
  });

/** All adapters of the account, newest first, kept fresh. */
export const useAdapters = (enabled = true): UseQueryResult<readonly AdapterView[]> =>
  useAll('adapters/list', {}, adaptersIn, { enabled, every: () => LOOK_EVERY_MS.settled });
