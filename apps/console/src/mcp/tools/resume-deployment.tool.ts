import { ResumeDeployment } from '@slipway/contracts';
import { z } from 'zod';
import { changedDeployment, DeploymentChanged } from '../deployment-views.js';
import { defineTool } from '../mcp-tool.js';
import { DeploymentRef, deploymentIdOf } from '../deployment-reference.js';

export const resumeDeployment = defineTool({
  name: 'resume_deployment',
  title: 'Resume a deployment',
  description:
    'Serves a stopped deployment again, or tries one that failed again at once. It returns at once, while the model loads: call get_deployment until the state is ready.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({ slug: DeploymentRef }),
  output: DeploymentChanged,
  run: async ({ slug }, call) => {
    const deployment = await deploymentIdOf(slug, call);
    const { state } = await call.rpc.call(ResumeDeployment, { account: call.caller.account, deployment, actor: call.actor });
    return changedDeployment(deployment, state);
  },
});
