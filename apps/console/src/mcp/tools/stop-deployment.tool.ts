import { StopDeployment } from '@slipway/contracts';
import { z } from 'zod';
import { changedDeployment, DeploymentChanged } from '../deployment-views.js';
import { defineTool } from '../mcp-tool.js';
import { confirmSlug, DeploymentRef, deploymentIdOf, requireSlug } from '../deployment-reference.js';

export const stopDeployment = defineTool({
  name: 'stop_deployment',
  title: 'Stop a deployment',
  description:
    'Refuses new requests to a deployment at once and unloads it when the running ones end. Requests fail until resume_deployment. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({ slug: DeploymentRef, confirm_slug: confirmSlug }),
  output: DeploymentChanged,
  run: async ({ slug, confirm_slug: confirmed }, call) => {
    const deployment = await deploymentIdOf(slug, call);
    requireSlug(deployment, confirmed);
    const { state } = await call.rpc.call(StopDeployment, { account: call.caller.account, deployment, actor: call.actor });
    return changedDeployment(deployment, state);
  },
});
