import { deploymentSlug, ListAliases, PointAlias, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import { aliasInput, readAlias } from '../alias-reference.js';
import { defineTool } from '../mcp-tool.js';
import { DeploymentRef, deploymentIdOf } from '../open-deployment.js';

export const setAlias = defineTool({
  name: 'set_alias',
  title: 'Point an alias at a deployment',
  description:
    'Makes an alias, or moves it where replace is true: then everybody who calls the alias gets the other deployment at once. Ask the person you work for before you move one.',
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
    // What somebody else pointed elsewhere meanwhile stays there: nobody agreed to take it from that one.
    await rpc.call(PointAlias, { account, alias, deployment, from: previous ?? null, actor });
    const named = { alias: `${caller.slug}/${alias}`, slug: deploymentSlug(deployment) };
    return { ...named, ...(previous !== undefined && { previous_slug: deploymentSlug(previous) }) };
  },
});
