import { deploymentSlug, ListAliases, PointAlias, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import { aliasInput, deploymentIdOf, DeploymentRef, readAlias } from '../deployment-reference.js';
import { defineTool } from '../mcp-tool.js';
import { requireAgreement } from '../person.js';

export const setAlias = defineTool({
  name: 'set_alias',
  title: 'Point an alias at a deployment',
  description:
    'Creates an alias, or moves it where replace is true: requests to the alias then go to the other deployment at once. Ask the person you work for before you move one. To go back, move it to previous_slug.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({
    alias: aliasInput,
    slug: DeploymentRef,
    replace: z.boolean().default(false).describe('Whether an alias that points at another deployment is moved.'),
  }),
  output: z.object({ alias: z.string(), slug: z.string(), previous_slug: z.string().optional() }),
  run: async ({ alias: text, slug: ref, replace }, call) => {
    const { rpc, caller, actor } = call;
    const { account } = caller;
    const alias = readAlias(text, caller.slug);
    const deployment = await deploymentIdOf(ref, call);
    const { aliases } = await rpc.call(ListAliases, { account });
    const previous = aliases.find((candidate) => candidate.alias === alias)?.deployment;
    if (previous !== undefined && previous !== deployment && !replace) {
      throw new ServiceError(
        'alias_taken',
        `Nothing was changed: ${caller.slug}/${alias} points at ${deploymentSlug(previous)}. Repeat with replace true to move it.`,
        { param: 'replace' },
      );
    }
    if (previous !== undefined && previous !== deployment) {
      const [from, to] = [deploymentSlug(previous), deploymentSlug(deployment)];
      const question = `Move the alias ${caller.slug}/${alias} from ${from} to ${to}? Requests go there at once.`;
      requireAgreement(call, { question, argument: 'replace', given: to, wanted: to, advice: '' });
    }
    // `from` keeps an alias that another caller has moved in the meantime.
    await rpc.call(PointAlias, { account, alias, deployment, from: previous ?? null, actor });
    const named = { alias: `${caller.slug}/${alias}`, slug: deploymentSlug(deployment) };
    return { ...named, ...(previous !== undefined && { previous_slug: deploymentSlug(previous) }) };
  },
});
