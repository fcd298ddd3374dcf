import { deploymentSlug } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import type { ToolCall } from './mcp-tool.js';

/** Values of one completion, as the protocol bounds it. */
const VALUES_MAX = 100;

/** The slugs of the account's deployments that begin like this. */
export async function slugsLike(beginning: string, { rpc, caller }: Pick<ToolCall, 'rpc' | 'caller'>): Promise<string[]> {
  const { deployments } = await allDeployments(rpc, caller.account);
  const slugs = deployments.map(({ id }) => deploymentSlug(id));
  return slugs.filter((slug) => slug.startsWith(beginning)).slice(0, VALUES_MAX);
}
