import {
  AliasName,
  CreateDeployment,
  type DeploymentId,
  deploymentSlug,
  FindDeployment,
  isServiceError,
  ListAliases,
  PointAlias,
  ServiceError,
} from '@slipway/contracts';
import { z } from 'zod';
import { changedDeployment, DeploymentChanged, replicasIn, settingsInput, urlOf } from '../deployment-views.js';
import { defineTool, type ToolCall } from '../mcp-tool.js';
import { modelInput, sourceOf } from '../model-reference.js';
import { aliasInput, readAlias } from '../deployment-reference.js';

async function requireFree(alias: AliasName, { rpc, caller }: ToolCall): Promise<void> {
  const { aliases } = await rpc.call(ListAliases, { account: caller.account });
  if (!aliases.some((taken) => taken.alias === alias)) return;
  throw new ServiceError(
    'alias_taken',
    `Nothing was created: ${caller.slug}/${alias} points elsewhere; use another alias, or set_alias later.`,
    {
      param: 'alias',
    },
  );
}

type AliasName = z.infer<typeof AliasName>;

export const createDeployment = defineTool({
  name: 'create_deployment',
  title: 'Create a deployment',
  description:
    'Serves a model. It returns at once, while the model loads: call get_deployment until the state is ready. Give an idempotency_key, so that a repeated call makes no second deployment.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: false },
  input: z.object({
    ...modelInput,
    name: z.string().min(1).max(100).optional().describe('For people; the model’s file name unless given.'),
    alias: aliasInput.optional().describe('A free alias to point at it.'),
    ...settingsInput,
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/)
      .optional()
      .describe('Your own name for this creation.'),
  }),
  output: DeploymentChanged.extend({ url: z.string(), alias: z.string().optional() }),
  run: async ({ alias: aliasText, ...input }, call) => {
    const { rpc, caller, actor } = call;
    const { account } = caller;
    const source = sourceOf(input);
    const alias = aliasText === undefined ? undefined : readAlias(aliasText, caller.slug);
    if (alias !== undefined && input.idempotency_key === undefined) await requireFree(alias, call);
    const replicas = replicasIn(input);
    const { context_length: context, slots, default_max_tokens, store_responses, idempotency_key } = input;
    const name = input.name ?? input.model.split('/').at(-1)?.slice(0, 100) ?? input.model;
    const { id } = await rpc.call(CreateDeployment, {
      ...{ account, name, source, context, slots, replicas, default_max_tokens, store_responses, idempotency_key },
      actor,
    });
    if (alias !== undefined) await pointFreeAlias(alias, id, call);
    const { deployment } = await rpc.call(FindDeployment, { account, deployment: id });
    return {
      ...changedDeployment(id, deployment.state),
      url: urlOf(id, call),
      ...(alias !== undefined && { alias: `${caller.slug}/${alias}` }),
    };
  },
});

/** Points the alias only if it is free. A repeated creation finds its alias set already. */
async function pointFreeAlias(alias: AliasName, deployment: DeploymentId, { rpc, caller, actor }: ToolCall): Promise<void> {
  const { account, slug } = caller;
  try {
    await rpc.call(PointAlias, { account, alias, deployment, from: null, actor });
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'alias_taken') throw error;
    throw new ServiceError(
      'alias_taken',
      `${deploymentSlug(deployment)} was created, but ${slug}/${alias} points elsewhere; set_alias with replace moves it.`,
      { param: 'alias' },
    );
  }
}
