import type { ConsoleReply, EvaluationView, SuiteView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ListPage, useAll } from '../api/use-all.js';
import { isOver } from './evaluation-words.js';

/** How soon an evaluation that runs is looked at again, and one that is over, in milliseconds. */
export const LOOK_EVERY_MS = { running: 2_000, settled: 15_000 } as const;

const evaluationsIn = ({ evaluations, next }: ConsoleReply<'evaluations/list'>): ListPage<'evaluations/list', EvaluationView> => ({
  rows: evaluations,
  next: next === null ? null : { before: next },
});
const suitesIn = ({ suites, next }: ConsoleReply<'suites/list'>): ListPage<'suites/list', SuiteView> => ({
  rows: suites,
  next: next === null ? null : { after: next },
});

/** All evaluations of the account, newest first, kept fresh. */
export const useEvaluations = (): UseQueryResult<readonly EvaluationView[]> =>
  useAll('evaluations/list', {}, evaluationsIn, {
    every: (rows) => (rows?.every(isOver) === false ? LOOK_EVERY_MS.running : LOOK_EVERY_MS.settled),
  });

/** All suites of the account by name, kept fresh. */
export const useSuites = (): UseQueryResult<readonly SuiteView[]> =>
  useAll('suites/list', {}, suitesIn, { every: () => LOOK_EVERY_MS.settled });
