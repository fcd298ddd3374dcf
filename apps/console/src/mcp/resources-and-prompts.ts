import { completable, type McpServer, ResourceNotFoundError, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { deploymentSlug, isServiceError } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { z } from 'zod';
import type { ToolCall } from './mcp-tool.js';
import { openDeployment } from './deployment-reference.js';
import { shownDeployment } from './deployment-views.js';

/** Most values of one completion, a bound of the protocol. */
const VALUES_MAX = 100;

/** The slugs of the account's deployments with this prefix. */
async function slugsLike(prefix: string, { rpc, caller }: Pick<ToolCall, 'rpc' | 'caller'>): Promise<string[]> {
  const { deployments } = await allDeployments(rpc, caller.account);
  const slugs = deployments.map(({ id }) => deploymentSlug(id));
  return slugs.filter((slug) => slug.startsWith(prefix)).slice(0, VALUES_MAX);
}

const SCHEME = 'slipway://deployments/';
const TYPE = 'application/json';
/** Most resources in the list; tools can page through more. */
const LISTED_MAX = 200;

/** Registers deployments as resources, for clients that show resources. The content is that of get_deployment. */
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
  const config = { title: 'Deployment', description: 'A deployment with all details.', mimeType: TYPE };
  server.registerResource('deployment', template, config, async (uri, { slug }, asked) => {
    const call = callOf(asked);
    const found = await openDeployment(String(slug), call).catch((error: unknown) => {
      if (isServiceError(error) && error.code === 'deployment_not_found') throw new ResourceNotFoundError(uri.href);
      throw error;
    });
    return { contents: [{ uri: uri.href, mimeType: TYPE, text: JSON.stringify(shownDeployment(found, call)) }] };
  });
}

const textFor = (slug: string): string =>
  [
    `Find out how ${slug} is doing and report it in a few sentences.`,
    'Read get_deployment first; where it is not ready, read get_deployment_logs and name the cause in its own words.',
    'Read get_usage of the last day for it, split by status, and name errors that repeat.',
    'Say what would repair it. Change nothing without being told to.',
  ].join('\n');

/** Registers the prompt that diagnoses a deployment. */
export function registerDiagnosePrompt(server: McpServer, call: Pick<ToolCall, 'rpc' | 'caller'>): void {
  const slug = completable(z.string().min(1).max(110).describe('Slug or alias of the deployment.'), (value) => slugsLike(value, call));
  server.registerPrompt(
    'diagnose_deployment',
    { title: 'Diagnose a deployment', description: 'Finds out how a deployment is doing, and why.', argsSchema: z.object({ slug }) },
    (asked) => ({ messages: [{ role: 'user', content: { type: 'text', text: textFor(asked.slug) } }] }),
  );
}
