import { type AccountId, type DeploymentView, ListDeployments, ListModels, type ModelView, type RpcContract } from '@slipway/contracts';
import type { z } from 'zod';

/** Most bytes of a list in one reply. The rest of NATS's 1 MiB is for the other fields. */
const LIST_BYTES_MAX = 900 * 1024;

/**
 * The first items of a list that fit into one reply as JSON; at least one. The rest belongs to the next page.
 * @param bytesMax room for the list, where it differs from the default
 */
export function fitting<T>(items: readonly T[], bytesMax = LIST_BYTES_MAX): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, i) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return i > 0 && bytes > bytesMax;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** One page of a list. */
export interface Page<T, C> {
  readonly items: T[];
  /** Where the next page begins: behind this; null = this is the last page. */
  readonly next: C | null;
}

/**
 * The first rows that make one reply.
 * @param rows read with a bound above `limit`: one row more than a page holds shows that another page follows
 * @param cursorOf what the next page is asked behind, of the last row
 */
export function pageOf<T, C>(rows: readonly T[], limit: number, cursorOf: (row: T) => C): Page<T, C> {
  const items = [...fitting(rows.slice(0, limit))];
  const last = items.at(-1);
  return { items, next: rows.length > items.length && last !== undefined ? cursorOf(last) : null };
}

/** The number of a row, by which most lists go on. */
export const idOf = <I>({ id }: { readonly id: I }): I => id;

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
