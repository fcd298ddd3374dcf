import type { ConsoleRequest } from '@slipway/contracts';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { againAfter } from '../api/query-client.js';
import { call } from '../api/use-call.js';
import type { DEPLOYMENT_SEARCH } from '../searches.js';
import { boundsOf } from '../url-state/range-search.js';
import { grown, type LogLine } from './log-lines.js';

/** Lines of one answer. */
const ASKED = 2_000;
const FOLLOW_MS = 2_000;

/** What is shown of a log. */
export interface Log {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Hosts that did not answer. */
  readonly silent: readonly string[];
  /** For the next question of a live tail; absent = the whole is asked again. */
  readonly cursor?: string;
}

export type LogSearch = Pick<ReturnType<typeof DEPLOYMENT_SEARCH.read>, 'q' | 'level' | 'tail' | 'range' | 'from' | 'to'>;

/** What is asked of the log. A custom range ends; a preset begins so long before it was chosen, and goes on. */
export function logQuestion(deployment: number, search: LogSearch, chosenAt: number): ConsoleRequest<'deployments/log'> {
  const { from, to } = boundsOf(search, chosenAt);
  return {
    deployment,
    lines: ASKED,
    since: from,
    ...(search.to !== null && { until: to }),
    ...(search.level !== 'debug' && { level: search.level }),
    ...(search.q.trim() !== '' && { search: search.q.trim() }),
  };
}

/** A log by what is searched for; while it is followed, only newer lines are asked for and appended. */
export function useLog(deployment: number, search: LogSearch): UseQueryResult<Log> {
  const client = useQueryClient();
  const [chosen, setChosen] = useState({ range: search.range, at: Date.now() });
  if (chosen.range !== search.range) setChosen({ range: search.range, at: Date.now() });
  const question = logQuestion(deployment, search, chosen.at);
  const isLive = search.tail && search.to === null;
  const queryKey = ['deployments/log', question] as const;
  return useQuery<Log>({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<Log>(queryKey);
      const cursor = before?.cursor;
      const reply = await call('deployments/log', { ...question, ...(cursor !== undefined && { cursor }) }, signal);
      const lines = before && cursor !== undefined ? grown(before.lines, reply.lines) : reply.lines;
      return { lines, silent: reply.silent, ...(reply.cursor !== undefined && { cursor: reply.cursor }) };
    },
    structuralSharing: false,
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (isLive ? FOLLOW_MS : againAfter(state.error)),
    refetchOnWindowFocus: isLive,
  });
}
