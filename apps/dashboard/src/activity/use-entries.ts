import type { AuditEntry } from '@slipway/contracts';
import { useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useEveryDeployment, useEveryKey, useEveryMember } from '../api/lists.js';
import { call } from '../api/use-call.js';
import type { AuditQuestion } from './activity-filters.js';
import type { TargetNames } from './activity-target.js';

const CALLS = { account: 'audit/list', deployments: 'deployment-audit/list', tuning: 'tuning-audit/list' } as const;
export type Log = keyof typeof CALLS;

const EVERY_MS = 15_000;

/** Entries of a log, newest first, page by page. Only the first page is asked for again by itself. */
export function useEntries(log: Log, question: AuditQuestion): UseInfiniteQueryResult<readonly AuditEntry[]> {
  return useInfiniteQuery({
    queryKey: [CALLS[log], question, 'pages'],
    queryFn: ({ pageParam, signal }) => call(CALLS[log], { ...question, ...(pageParam !== undefined && { before: pageParam }) }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : EVERY_MS),
  });
}

/** What deployments, keys and people are called now. */
export function useTargetNames(): TargetNames {
  const { data: deployments } = useEveryDeployment();
  const { data: keys } = useEveryKey();
  const { data: members } = useEveryMember();
  return useMemo(() => {
    const of = new Map<number, string>(deployments?.map(({ id, name }) => [id, name]));
    const named = new Map<number, string>(keys?.map(({ id, name }) => [id, name]));
    const people = new Map<number, string>(members?.map(({ user, name, email }) => [user, name || email]));
    return { deployment: (id) => of.get(id), key: (id) => named.get(id), person: (id) => people.get(id) };
  }, [deployments, keys, members]);
}
