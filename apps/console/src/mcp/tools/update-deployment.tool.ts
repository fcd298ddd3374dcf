import { deploymentSlug, ScaleDeployment, ServiceError, UpdateDeployment } from '@slipway/contracts';
import { z } from 'zod';
import { adviceFor, DeploymentChanged, replicasIn, settingsInput } from '../deployment-views.js';
import { defineTool } from '../mcp-tool.js';
import { modelInput, sourceOf } from '../model-reference.js';
import { DeploymentRef, deploymentIdOf } from '../deployment-reference.js';

export const updateDeployment = defineTool({
  name: 'update_deployment',
  title: 'Update a deployment',
  description:
    'Changes the given settings and keeps the rest. The revision that serves goes on until the new one is ready. Pass revision of get_deployment as expected_revision, so that no other change is overwritten.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    slug: DeploymentRef,
    name: z.string().min(1).max(100).optional(),
    model: modelInput.model.optional(),
    engine_url: modelInput.engine_url,
    engine: modelInput.engine,
    engine_options: modelInput.engine_options,
    ...settingsInput,
    expected_revision: z.int().positive().optional().describe('Nothing is changed unless this is the newest revision.'),
  }),
  output: DeploymentChanged.extend({ revision: z.int() }),
  run: async ({ slug: ref, model, engine_url, engine, engine_options, ...input }, call) => {
    const { rpc, caller, actor } = call;
    const replicas = replicasIn(input);
    const { name, context_length: context, slots, default_max_tokens, store_responses } = input;
    const { expected_revision: expected_rev } = input;
    if ((engine_url ?? engine ?? engine_options) !== undefined && model === undefined) {
      throw new ServiceError('invalid_request', 'engine_url, engine and engine_options need model.', { param: 'model' });
    }
    const deployment = await deploymentIdOf(ref, call);
    const source = model === undefined ? undefined : sourceOf({ model, engine_url, engine, engine_options });
    const named = { account: caller.account, deployment, actor };
    const settings = { name, source, context, slots, default_max_tokens, store_responses, expected_rev };
    const { rev, state } = await rpc.call(UpdateDeployment, { ...named, ...settings });
    if (replicas !== undefined) await rpc.call(ScaleDeployment, { ...named, replicas });
    const slug = deploymentSlug(deployment);
    return { slug, revision: rev, state, next_step: adviceFor(slug, state) };
  },
});
