import { z } from 'zod';
import { DeploymentShown, shownDeployment } from '../deployment-views.js';
import { defineTool, READS } from '../mcp-tool.js';
import { DeploymentRef, openDeployment } from '../deployment-reference.js';

export const getDeployment = defineTool({
  name: 'get_deployment',
  title: 'Show a deployment',
  description: 'Shows one deployment: its state and the reason, what it serves, its address, and what to do next.',
  hints: READS,
  input: z.object({ slug: DeploymentRef }),
  output: DeploymentShown,
  run: async ({ slug }, call) => shownDeployment(await openDeployment(slug, call), call),
});
