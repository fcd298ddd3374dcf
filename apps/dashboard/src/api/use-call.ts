import type { ConsoleAddresses, ConsoleCall, ConsoleReply, ConsoleRequest, MembershipView } from '@slipway/contracts';
import {
  keepPreviousData,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { session } from '../session/session.js';
import { againAfter } from './query-client.js';

/** A call of the private API. */
export const call = <C extends ConsoleCall>(name: C, body: ConsoleRequest<C>, signal?: AbortSignal): Promise<ConsoleReply<C>> =>
  session.ask<ConsoleReply<C>>(`/api/${name}`, { body, signal });

export interface CallOptions<T> {
  /** Whether to ask at all. */
  readonly enabled?: boolean;
  /** Asked again after so many milliseconds, by what is known; false = never. */
  readonly every?: (data: T | undefined) => number | false;
  /** Shows the answer to the question before while this one is asked. */
  readonly keep?: boolean;
  /** An answer from memory is taken for so many milliseconds. */
  readonly staleMs?: number;
}

/** Asks when it is drawn and keeps the answer fresh. */
export function useCall<C extends ConsoleCall>(
  name: C,
  body: ConsoleRequest<C>,
  { enabled = true, every, keep = false, staleMs }: CallOptions<ConsoleReply<C>> = {},
): UseQueryResult<ConsoleReply<C>> {
  return useQuery<ConsoleReply<C>>({
    queryKey: [name, body],
    queryFn: ({ signal }) => call(name, body, signal),
    enabled,
    ...(every && { refetchInterval: ({ state }) => every(state.data) || againAfter(state.error) }),
    ...(keep && { placeholderData: keepPreviousData }),
    ...(staleMs !== undefined && { staleTime: staleMs }),
  });
}

/** A change; afterwards everything whose name begins with one of `refresh` is asked again. */
export function useChange<C extends ConsoleCall>(
  name: C,
  refresh: readonly string[],
): UseMutationResult<ConsoleReply<C>, Error, ConsoleRequest<C>> {
  const client = useQueryClient();
  return useMutation<ConsoleReply<C>, Error, ConsoleRequest<C>>({
    mutationFn: (body) => call(name, body),
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey: [first] }) => refresh.some((prefix) => String(first).startsWith(prefix)) }),
  });
}

/** Who is signed in. */
export interface Me {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly has_password: boolean;
  readonly memberships: readonly MembershipView[];
  readonly session: string;
}

/** Asks who is signed in. */
export const me = (): Promise<Me> => session.ask<Me>('/api/me', { method: 'GET' });

/** Addresses of the installation; null until they are known. */
export function useAddresses(): ConsoleAddresses | null {
  const queryFn = (): Promise<ConsoleAddresses> => session.ask<ConsoleAddresses>('/api/addresses', { method: 'GET' });
  const { data } = useQuery({ queryKey: ['addresses'], queryFn, staleTime: Number.POSITIVE_INFINITY });
  return data ?? null;
}
