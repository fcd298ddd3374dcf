import { type AccountId, type DeploymentView, ListDeployments, ListModels, type ModelView, type RpcContract } from '@slipway/contracts';
import type { z } from 'zod';

/** Anything that can call a service: an `RpcClient` or a wrapper of one. */
export interface ListCaller {
  call<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>>;
}

/** Reads all pages. Services older than pages send no `next`: their first reply is the whole list. */
async function pagesOf<P extends { readonly next?: N | null | undefined }, N>(ask: (after: N | undefined) => Promise<P>): Promise<P[]> {
  const pages = [await ask(undefined)];
  for (let next = pages[0]?.next; next !== null && next !== undefined; next = pages.at(-1)?.next) pages.push(await ask(next));
  return pages;
}

/** All deployments of an account, oldest first. @throws like a call */
export async function allDeployments(rpc: ListCaller, account: AccountId): Promise<{ deployments: DeploymentView[] }> {
  const pages = await pagesOf((after: z.input<typeof ListDeployments.request>['after']) => rpc.call(ListDeployments, { account, after }));
  return { deployments: pages.flatMap(({ deployments }) => deployments) };
}

/** All models that an account can serve, by name. @throws like a call */
export async function allModels(rpc: ListCaller, account: AccountId): Promise<{ models: ModelView[]; truncated: boolean }> {
  const pages = await pagesOf((after: z.input<typeof ListModels.request>['after']) => rpc.call(ListModels, { account, after }));
  return { models: pages.flatMap(({ models }) => models), truncated: pages.some(({ truncated }) => truncated) };
}
