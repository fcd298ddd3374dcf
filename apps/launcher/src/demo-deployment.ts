import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  CreateDeployment,
  type DeploymentId,
  ListDeployments,
  type ModelSource,
  PointAlias,
  ResumeDeployment,
  ScaleDeployment,
  isServiceError,
} from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { LaunchContext } from './launch-context.js';
import { nameOf, wantedSource } from './model-source.js';

/** The alias under which the model of this run is served. */
export const ALIAS = 'demo';

/** A deployment is recognised by its source and, without storing it, by its credential. */
const markOf = (context: LaunchContext, credential: string): string =>
  createHmac('sha256', context.secrets.secretKey).update(credential).digest('base64url');

const credentialOf = ({ stage }: LaunchContext): string | undefined =>
  stage.options.upstreamKeyVariable === null ? undefined : stage.environment[stage.options.upstreamKeyVariable];

async function create(context: LaunchContext, rpc: RpcClient, account: AccountId, source: ModelSource): Promise<DeploymentId> {
  const credential = credentialOf(context);
  const { stage, state } = context;
  try {
    const { id } = await rpc.call(CreateDeployment, {
      account,
      name: nameOf(source),
      source,
      replicas: stage.options.workers,
      ...(credential !== undefined && { credential }),
    });
    if (credential !== undefined) {
      await state.update({ credentials: { ...state.state.credentials, [id]: markOf(context, credential) } });
    }
    return id;
  } catch (error) {
    if (isServiceError(error) && error.code === 'source_not_allowed') throw new stage.StartError(error.message, { cause: error });
    throw error;
  }
}

/** The newest deployment of this source and credential, wanted ready with a replica for each worker. */
async function reuse(context: LaunchContext, rpc: RpcClient, account: AccountId, source: ModelSource): Promise<DeploymentId | null> {
  const credential = credentialOf(context);
  const mark = credential === undefined ? undefined : markOf(context, credential);
  const marks = context.state.state.credentials;
  const replicas = context.stage.options.workers;
  const { deployments } = await rpc.call(ListDeployments, { account });
  const known = deployments.findLast((one) => isDeepStrictEqual(one.source, source) && marks[one.id] === mark);
  if (!known) return null;
  const target = { account, deployment: known.id };
  if (known.desired === 'stopped') await rpc.call(ResumeDeployment, target);
  if (known.replicas !== replicas) await rpc.call(ScaleDeployment, { ...target, replicas });
  return known.id;
}

/** The deployment of this run's model under the alias `demo`: the one that an earlier run made, or a new one. */
export async function provideDeployment(context: LaunchContext, rpc: RpcClient, account: AccountId): Promise<DeploymentId> {
  const source = wantedSource(context.stage);
  const id = (await reuse(context, rpc, account, source)) ?? (await create(context, rpc, account, source));
  await rpc.call(PointAlias, { account, alias: ALIAS, deployment: id });
  return id;
}
