import { deploymentSlug } from '@slipway/contracts';
import { allModels } from '@slipway/platform';
import { z } from 'zod';
import { defineTool, knownFields, READS } from '../mcp-tool.js';
import { isShowable, ModelShown, showModel } from '../model-reference.js';
import { pageInput, pageOf, pageOutput } from '../page-cursor.js';

export const listModels = defineTool({
  name: 'list_models',
  title: 'List models',
  description:
    'Lists models that create_deployment can serve: files in the operator’s model folders, and what deployments of this account name. Models from hf: and https addresses need not be listed.',
  hints: READS,
  input: z.object(pageInput),
  output: z.object({
    models: z.array(
      ModelShown.extend({
        name: z.string(),
        bytes: z.int().optional(),
        hosts: z.array(z.string()).describe('Machines that have it.'),
        deployments: z.array(z.string()).describe('Slugs of deployments that serve it.'),
      }),
    ),
    hidden: z.int().describe('Models left out because their address may hold a secret; the console shows them.'),
    truncated: z.boolean().describe('The model folders hold more than could be listed.'),
    ...pageOutput,
  }),
  run: async (input, { rpc, caller }) => {
    const { models, truncated } = await allModels(rpc, caller.account);
    const shown = models.filter(({ source }) => isShowable(source)).map((model, place) => ({ ...model, place }));
    const { page, next } = pageOf(shown, input, ({ place }) => place);
    return {
      models: page.map(({ source, name, bytes, hosts, deployments }) => ({
        ...showModel(source),
        name,
        ...knownFields({ bytes }),
        hosts,
        deployments: deployments.map(deploymentSlug),
      })),
      hidden: models.length - shown.length,
      truncated,
      ...next,
    };
  },
});
