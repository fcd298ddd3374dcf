import { useCallback, useMemo } from 'react';
import { useEveryDeployment } from '../api/lists.js';

/** Names of deployments by their numbers; the slug of one that is not known. */
export function useDeploymentNames(): (id: number) => string {
  const { data } = useEveryDeployment();
  const names = useMemo(() => new Map<number, string>(data?.map(({ id, name }) => [id, name])), [data]);
  return useCallback((id) => names.get(id) ?? `deployment-${id}`, [names]);
}
