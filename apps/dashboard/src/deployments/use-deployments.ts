import type { ConsoleReply, DeploymentLoad, DeploymentView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useEveryDeployment } from '../api/lists.js';
import { type ListPage, useAll } from '../api/use-all.js';
import { useCall } from '../api/use-call.js';
import { lookAgainAfter } from './deployment-actions.js';

/** Gateways report the load of deployments as often, in milliseconds. */
const LOAD_EVERY_MS = 2_000;

/** All deployments of the account; asked more often while one of them changes. */
export const useDeployments = (): UseQueryResult<readonly DeploymentView[]> => useEveryDeployment((rows) => lookAgainAfter(rows ?? []));

const loadsOf = ({ loads, next }: ConsoleReply<'deployments/load'>): ListPage<'deployments/load', DeploymentLoad> => ({
  rows: loads,
  next: next === null ? null : { after: next },
});

/** The present load of every deployment, by its number. Empty while it is not known. */
export function useLoads(): ReadonlyMap<number, DeploymentLoad> {
  const { data, isError } = useAll('deployments/load', {}, loadsOf, { every: () => LOAD_EVERY_MS });
  return useMemo(() => new Map(isError ? [] : (data ?? []).map((load) => [load.deployment, load])), [data, isError]);
}

/** The present load of one deployment; null while it is not known. */
export function useLoad(deployment: number): DeploymentLoad | null {
  const { data, isError } = useCall('deployments/load', { deployment }, { every: () => LOAD_EVERY_MS });
  return isError ? null : (data?.loads[0] ?? null);
}
