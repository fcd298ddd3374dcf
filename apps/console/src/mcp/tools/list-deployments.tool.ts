import { ObservedState } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { z } from 'zod';
import { DeploymentListed, listedDeployment } from '../deployment-views.js';
import { defineTool, READS } from '../mcp-tool.js';
import { pageInput, pageOf, pageOutput } from '../page-cursor.js';

export const listDeployments = defineTool({
  name: 'list_deployments',
  title: 'List deployments',
  description: 'Lists the deployments of the account, oldest first. get_deployment shows one with all details.',
  hints: READS,
  input: z.object({
    state: ObservedState.optional().describe('Only those in this state.'),
    query: z.string().max(100).optional().describe('Only those whose slug, name, model or alias contains this.'),
    ...pageInput,
  }),
  output: z.object({ deployments: z.array(DeploymentListed), ...pageOutput }),
  run: async ({ state, query = '', ...asked }, call) => {
    const { deployments } = await allDeployments(call.rpc, call.caller.account);
    const wanted = query.toLowerCase();
    const matching = deployments
      .filter((view) => state === undefined || view.state === state)
      .map((view) => ({ id: view.id, listed: listedDeployment(view, call) }))
      .filter(({ listed: { slug, name, model, aliases } }) =>
        [slug, name, model.id, ...aliases].some((text) => text.toLowerCase().includes(wanted)),
      );
    const { page, next } = pageOf(matching, asked, ({ id }) => id);
    return { deployments: page.map(({ listed }) => listed), ...next };
  },
});
