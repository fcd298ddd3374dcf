import type { ConsoleReply, DatasetView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ListPage, useAll } from '../api/use-all.js';
import { isMoving } from './version-words.js';

/** While a version is uploaded or checked, and otherwise, in milliseconds. */
const LOOK_EVERY_MS = { moving: 1_000, settled: 15_000 } as const;

const pageOf = ({ datasets, next }: ConsoleReply<'datasets/list'>): ListPage<'datasets/list', DatasetView> => ({
  rows: datasets,
  next: next === null ? null : { after: next },
});

/** How soon to look again, by whether a version is being made. */
export const lookAgainAfter = (heads: readonly (Pick<DatasetView, 'head'> | undefined)[]): number =>
  heads.some((one) => one?.head != null && isMoving(one.head)) ? LOOK_EVERY_MS.moving : LOOK_EVERY_MS.settled;

/** All data sets of the account by name, kept fresh. */
export const useDatasets = (enabled = true): UseQueryResult<readonly DatasetView[]> =>
  useAll('datasets/list', {}, pageOf, { enabled, every: (rows) => lookAgainAfter(rows ?? []) });
