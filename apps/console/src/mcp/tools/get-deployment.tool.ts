import { z } from 'zod';
import { DeploymentShown } from '../deployment-answers.js';
import { defineTool, READS } from '../mcp-tool.js';
import { DeploymentRef, openDeployment } from '../open-deployment.js';
import { shownDeployment } from '../shown-deployment.js';

export const getDeployment = defineTool({
  name: 'get_deployment',
  title: 'Show a deployment',
  description: 'Tells everything of one deployment: its state and why, what it serves, where it is called, and what to do next.',
  hints: READS,
  input: z.object({ slug: DeploymentRef }),
  output: DeploymentShown,
  run: async ({ slug }, call) => shownDeployment(await openDeployment(slug, call), call),
});
