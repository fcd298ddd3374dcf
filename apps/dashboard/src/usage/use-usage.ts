import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from '../api/use-call.js';
import { readUsage, type UsageAnswer, type UsageQuestion } from './read-usage.js';

/** How often figures are asked again, in milliseconds. */
const LIVE_MS = 5_000;
const CALM_MS = 60_000;

export interface UsageOptions {
  readonly isLive?: boolean;
  readonly enabled?: boolean;
}

/** Usage, however many rows it has. @param question null = nothing can match, so there are no rows */
export function useUsage(
  question: UsageQuestion | null,
  { isLive = false, enabled = true }: UsageOptions = {},
): UseQueryResult<UsageAnswer> {
  return useQuery<UsageAnswer>({
    queryKey: ['usage/query', question, 'whole'],
    queryFn: ({ signal }) =>
      question === null ? { rows: [], as_of: new Date().toISOString() } : readUsage((part) => call('usage/query', part, signal), question),
    enabled,
    // Of the same shape alone: rows by key would be drawn as parts by deployment.
    placeholderData: (before, asked) => (String(groupsIn(asked?.queryKey)) === String(question?.group_by) ? before : undefined),
    refetchInterval: isLive ? LIVE_MS : CALM_MS,
  });
}

/** What a question of before was split by. */
const groupsIn = (key: readonly unknown[] | undefined): UsageQuestion['group_by'] | undefined =>
  (key?.[1] as UsageQuestion | null | undefined)?.group_by;
