import type { ConsoleReply, DeploymentView, KeyView, MemberView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
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

/** All deployment keys of the account, revoked ones too, newest first. @param everyMs asked again after so many milliseconds */
export const useEveryKey = (everyMs?: number): UseQueryResult<readonly KeyView[]> =>
  useAll('keys/list', {}, keysIn, everyMs === undefined ? { staleMs: STALE_MS } : { every: () => everyMs });

/** All deployments of the account. */
export const useEveryDeployment = (): UseQueryResult<readonly DeploymentView[]> =>
  useAll('deployments/list', {}, deploymentsIn, { staleMs: STALE_MS });

/** All members of the account, oldest first. */
export const useEveryMember = (): UseQueryResult<readonly MemberView[]> => useAll('members/list', {}, membersIn, { staleMs: STALE_MS });
