import type { ConsoleReply, DeploymentView, KeyView, MemberView, ModelView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type ListPage, useAll } from './use-all.js';

/** Lists that only name things are taken from memory for so many milliseconds. */
const STALE_MS = 15_000;

const keysIn = ({ keys, next }: ConsoleReply<'keys/list'>): ListPage<'keys/list', KeyView> => ({
  rows: keys,
  next: next == null ? null : { before: next },
});
const deploymentsIn = ({ deployments, next }: ConsoleReply<'deployments/list'>): ListPage<'deployments/list', DeploymentView> => ({
  rows: deployments,
  next: next == null ? null : { after: next },
});
const membersIn = ({ members, next }: ConsoleReply<'members/list'>): ListPage<'members/list', MemberView> => ({
  rows: members,
  next: next === null ? null : { after: next },
});

const modelsIn = ({ models, next }: ConsoleReply<'models/list'>): ListPage<'models/list', ModelView> => ({
  rows: models,
  next: next == null ? null : { after: next },
});

/** All deployment keys of the account, revoked ones too, newest first. @param everyMs asked again after so many milliseconds */
export const useEveryKey = (everyMs?: number): UseQueryResult<readonly KeyView[]> =>
  useAll('keys/list', {}, keysIn, everyMs === undefined ? { staleMs: STALE_MS } : { every: () => everyMs });

/** All deployments of the account. @param every milliseconds until they are asked again, by what is known; absent: from memory */
export const useEveryDeployment = (
  every?: (rows: readonly DeploymentView[] | undefined) => number | false,
): UseQueryResult<readonly DeploymentView[]> => useAll('deployments/list', {}, deploymentsIn, every ? { every } : { staleMs: STALE_MS });

/** All members of the account, oldest first. */
export const useEveryMember = (): UseQueryResult<readonly MemberView[]> => useAll('members/list', {}, membersIn, { staleMs: STALE_MS });

/** Every model that the account can name. */
export const useModels = (): UseQueryResult<readonly ModelView[]> => useAll('models/list', {}, modelsIn, { staleMs: STALE_MS });

/** Names of deployments by their numbers; the slug of one that is not known. */
export function useDeploymentNames(): (id: number) => string {
  const { data } = useEveryDeployment();
  const names = useMemo(() => new Map<number, string>(data?.map(({ id, name }) => [id, name])), [data]);
  return useCallback((id) => names.get(id) ?? `deployment-${id}`, [names]);
}

/** What members of the account are called, by their numbers; undefined for others. */
export function useMemberNames(): (user: number) => string | undefined {
  const { data } = useEveryMember();
  const names = useMemo(() => new Map<number, string>(data?.map(({ user, name, email }) => [user, name || email])), [data]);
  return useCallback((user) => names.get(user), [names]);
}
