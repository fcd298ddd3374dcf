import type { ConsoleReply, DeploymentView } from '@slipway/contracts';
import { useCallback, useMemo } from 'react';
import { type ListPage, useAll } from '../api/use-all.js';

const pageOf = ({ deployments, next }: ConsoleReply<'deployments/list'>): ListPage<'deployments/list', DeploymentView> => ({
  rows: deployments,
  next: next == null ? null : { after: next },
});

/** All deployments of the account; undefined until they are known. */
export const useAllDeployments = (): readonly DeploymentView[] | undefined =>
  useAll('deployments/list', {}, pageOf, { staleMs: 10_000 }).data;

/** Names of deployments by their numbers; the slug of one that is not known. */
export function useDeploymentNames(): (id: number) => string {
  const all = useAllDeployments();
  const names = useMemo(() => new Map<number, string>(all?.map(({ id, name }) => [id, name])), [all]);
  return useCallback((id) => names.get(id) ?? `deployment-${id}`, [names]);
}
