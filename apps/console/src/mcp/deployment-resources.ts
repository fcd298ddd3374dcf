import { type McpServer, ResourceNotFoundError, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { deploymentSlug, isServiceError } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import type { ToolCall } from './mcp-tool.js';
import { openDeployment } from './open-deployment.js';
import { shownDeployment } from './shown-deployment.js';
import { slugsLike } from './slug-completion.js';

const SCHEME = 'slipway://deployments/';
const TYPE = 'application/json';
/** Resources of one list; tools page through more. */
const LISTED_MAX = 200;

/** Mirrors deployments as resources, for clients that show these: what they hold, get_deployment tells too. */
export function registerDeploymentResources(
  server: McpServer,
  own: Pick<ToolCall, 'rpc' | 'caller'>,
  callOf: (asked: ServerContext) => ToolCall,
): void {
  const list = async (): Promise<{ resources: { uri: string; name: string; title: string; mimeType: string }[] }> => {
    const { deployments } = await allDeployments(own.rpc, own.caller.account);
    const newest = deployments.slice(-LISTED_MAX);
    return {
      resources: newest.map(({ id, name }) => ({
        uri: `${SCHEME}${deploymentSlug(id)}`,
        name: deploymentSlug(id),
        title: name,
        mimeType: TYPE,
      })),
    };
  };
  const template = new ResourceTemplate(`${SCHEME}{slug}`, { list, complete: { slug: (value) => slugsLike(value, own) } });
  const config = { title: 'Deployment', description: 'A deployment with all that is known of it.', mimeType: TYPE };
  server.registerResource('deployment', template, config, async (uri, { slug }, asked) => {
    const call = callOf(asked);
    const found = await openDeployment(String(slug), call).catch((error: unknown) => {
      if (isServiceError(error) && error.code === 'deployment_not_found') throw new ResourceNotFoundError(uri.href);
      throw error;
    });
    return { contents: [{ uri: uri.href, mimeType: TYPE, text: JSON.stringify(shownDeployment(found, call)) }] };
  });
}
