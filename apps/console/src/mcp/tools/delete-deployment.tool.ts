import { DeleteDeployment, deploymentSlug } from '@slipway/contracts';
import { z } from 'zod';
import { defineTool } from '../mcp-tool.js';
import { confirmSlug, DeploymentRef, deploymentIdOf, requireSlug } from '../deployment-reference.js';

export const deleteDeployment = defineTool({
  name: 'delete_deployment',
  title: 'Delete a deployment',
  description: 'Deletes a stopped or failed deployment for good, with its aliases. It cannot be undone. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({ slug: DeploymentRef, confirm_slug: confirmSlug }),
  output: z.object({ slug: z.string(), deleted: z.boolean(), aliases: z.array(z.string()).describe('Those that went with it.') }),
  run: async ({ slug, confirm_slug: confirmed }, call) => {
    const { caller, rpc, actor } = call;
    const deployment = await deploymentIdOf(slug, call);
    requireSlug(deployment, confirmed);
    const { aliases } = await rpc.call(DeleteDeployment, { account: caller.account, deployment, actor });
    return { slug: deploymentSlug(deployment), deleted: true, aliases: aliases.map((alias) => `${caller.slug}/${alias}`) };
  },
});
