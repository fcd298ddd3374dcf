import type { ConsoleReply, MemberView } from '@slipway/contracts';
import { useCallback, useMemo } from 'react';
import { type ListPage, useAll } from '../api/use-all.js';

const FRESH_MS = 60_000;

const pageOf = ({ members, next }: ConsoleReply<'members/list'>): ListPage<'members/list', MemberView> => ({
  rows: members,
  next: next == null ? null : { after: next },
});

/** What members of the account are called, by their numbers; undefined for others. */
export function usePeople(): (user: number) => string | undefined {
  const { data } = useAll('members/list', {}, pageOf, { staleMs: FRESH_MS });
  const names = useMemo(() => new Map<number, string>(data?.map(({ user, name, email }) => [user, name || email])), [data]);
  return useCallback((user) => names.get(user), [names]);
}
