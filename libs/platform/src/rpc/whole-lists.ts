import { type AccountId, type DeploymentView, ListDeployments, ListModels, type ModelView, type RpcContract } from '@slipway/contracts';
import type { z } from 'zod';

/** Who can ask a service: an `RpcClient`, or what stands before one. */
export interface ListCaller {
  call<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>>;
}

/** Services of before lists came in pages say no `next`: their first answer is the whole list. */
async function pagesOf<P extends { readonly next?: N | null | undefined }, N>(ask: (after: N | undefined) => Promise<P>): Promise<P[]> {
  const pages = [await ask(undefined)];
  for (let next = pages[0]?.next; next !== null && next !== undefined; next = pages.at(-1)?.next) pages.push(await ask(next));
  return pages;
}

/** All deployments of an account, oldest first. @throws what a call throws */
export async function allDeployments(rpc: ListCaller, account: AccountId): Promise<{ deployments: DeploymentView[] }> {
  const pages = await pagesOf((after: z.input<typeof ListDeployments.request>['after']) => rpc.call(ListDeployments, { account, after }));
  return { deployments: pages.flatMap(({ deployments }) => deployments) };
}

/** All models that an account can name, by name. @throws what a call throws */
export async function allModels(rpc: ListCaller, account: AccountId): Promise<{ models: ModelView[]; truncated: boolean }> {
  const pages = await pagesOf((after: z.input<typeof ListModels.request>['after']) => rpc.call(ListModels, { account, after }));
  return { models: pages.flatMap(({ models }) => models), truncated: pages.some(({ truncated }) => truncated) };
}
