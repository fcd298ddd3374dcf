import type { ConsoleCall, ConsoleReply, ConsoleRequest } from '@slipway/contracts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { againAfter } from './query-client.js';
import { call, type CallOptions } from './use-call.js';

/** More pages than these are not read. */
const PAGES_MAX = 200;

/** One page of a list. */
export interface ListPage<C extends ConsoleCall, T> {
  readonly rows: readonly T[];
  /** What the request for the next page adds; null = this is the last one. */
  readonly next: Partial<ConsoleRequest<C>> | null;
}

/** Reads every page of a list, one after the other. @param read brings the page that comes after `next` of the one before */
export async function readAll<C extends ConsoleCall, T>(
  read: (next: Partial<ConsoleRequest<C>>) => Promise<ListPage<C, T>>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  let next: Partial<ConsoleRequest<C>> | null = {};
  for (let page = 0; page < PAGES_MAX && next !== null; page += 1) {
    const found: ListPage<C, T> = await read(next);
    rows.push(...found.rows);
    next = found.next;
  }
  return rows;
}

/**
 * Asks for all pages of a list, one after the other, and keeps the whole fresh as `useCall` does.
 * @param pageOf made once, outside of components
 */
export function useAll<C extends ConsoleCall, T>(
  name: C,
  body: ConsoleRequest<C>,
  pageOf: (reply: ConsoleReply<C>) => ListPage<C, T>,
  { enabled = true, every, staleMs }: Omit<CallOptions<readonly T[]>, 'keep'> = {},
): UseQueryResult<readonly T[]> {
  return useQuery<readonly T[]>({
    queryKey: [name, body, 'all'],
    queryFn: ({ signal }) => readAll<C, T>(async (next) => pageOf(await call(name, { ...body, ...next }, signal))),
    enabled,
    ...(every && { refetchInterval: ({ state }) => every(state.data) || againAfter(state.error) }),
    ...(staleMs !== undefined && { staleTime: staleMs }),
  });
}
