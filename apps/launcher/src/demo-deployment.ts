import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  CreateDeployment,
  type DeploymentId,
  type ModelSource,
  PointAlias,
  ScaleDeployment,
  deploymentNameFor,
  deploymentSlug,
  isServiceError,
  ListAliases,
} from '@slipway/contracts';
import { allDeployments, type RpcClient } from '@slipway/platform';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { ACCOUNT_SLUG } from './account.js';
import type { LaunchContext } from './launch-context.js';
import { wantedSource } from './model-source.js';

/** The alias of this run's deployment. */
const ALIAS = 'demo';

/** HMAC of a credential, by which a later run recognises a deployment with the same credential without storing it. */
const fingerprintOf = (context: LaunchContext, credential: string): string =>
  createHmac('sha256', context.secrets.secretKey).update(credential).digest('base64url');

const credentialOf = ({ stage }: LaunchContext): string | undefined =>
  stage.options.upstreamKeyVariable === null ? undefined : stage.environment[stage.options.upstreamKeyVariable];

const rememberReplicas = ({ state, stage }: LaunchContext, id: DeploymentId): Promise<void> =>
  state.update({ replicas: { ...state.state.replicas, [id]: stage.options.workers } });

async function create(context: LaunchContext, rpc: RpcClient, account: AccountId, source: ModelSource): Promise<DeploymentId> {
  const credential = credentialOf(context);
  const { stage, state } = context;
  try {
    const { id } = await rpc.call(CreateDeployment, {
      account,
      name: deploymentNameFor(source),
      source,
      replicas: stage.options.workers,
      store_responses: true,
      ...(credential !== undefined && { credential }),
    });
    await rememberReplicas(context, id);
    if (credential !== undefined) {
      await state.update({ credentials: { ...state.state.credentials, [id]: fingerprintOf(context, credential) } });
    }
    return id;
  } catch (error) {
    if (isServiceError(error) && error.code === 'source_not_allowed') throw new StartError(error.message, { cause: error });
    throw error;
  }
}

/** The fields of a deployment that decide the choice. */
export interface Candidate {
  readonly id: DeploymentId;
  readonly desired: 'ready' | 'stopped';
  readonly aliases: readonly string[];
}

/**
 * Chooses one of the deployments with this run's source: the one that `demo` points at, else the newest. Stopped ones are not
 * chosen.
 */
export const chosenOf = <C extends Candidate>(fitting: readonly C[]): C | null => {
  const wanted = fitting.filter(({ desired }) => desired === 'ready');
  return wanted.find(({ aliases }) => aliases.includes(ALIAS)) ?? wanted.at(-1) ?? null;
};

/** Sets one replica per worker, unless a person has scaled the deployment since. Without a record, the replicas count as the launcher's. */
async function scale(
  context: LaunchContext,
  rpc: RpcClient,
  target: { account: AccountId; deployment: DeploymentId; replicas: number },
): Promise<void> {
  const { account, deployment, replicas: found } = target;
  const replicas = context.stage.options.workers;
  if (found !== (context.state.state.replicas[deployment] ?? found)) return;
  if (found !== replicas) await rpc.call(ScaleDeployment, { account, deployment, replicas });
  await rememberReplicas(context, deployment);
}

/** Finds a deployment with this source and credential that an earlier run created; null for none. */
async function reuse(context: LaunchContext, rpc: RpcClient, account: AccountId, source: ModelSource): Promise<DeploymentId | null> {
  const credential = credentialOf(context);
  const fingerprint = credential === undefined ? undefined : fingerprintOf(context, credential);
  const fingerprints = context.state.state.credentials;
  const { deployments } = await allDeployments(rpc, account);
  const known = chosenOf(deployments.filter((one) => isDeepStrictEqual(one.source, source) && fingerprints[one.id] === fingerprint));
  if (!known) return null;
  await scale(context, rpc, { account, deployment: known.id, replicas: known.replicas });
  return known.id;
}

/** The deployment of a run, and its path for clients. */
export interface DemoDeployment {
  readonly id: DeploymentId;
  /** `local/demo`, or the slug if a person has pointed the alias at another deployment. */
  readonly path: string;
}

/** The deployment that `demo` points at; null for none. */
async function demoTarget(rpc: RpcClient, account: AccountId): Promise<DeploymentId | null> {
  const { aliases } = await rpc.call(ListAliases, { account });
  return aliases.find(({ alias }) => alias === ALIAS)?.deployment ?? null;
}

/** Points `demo` at a deployment, unless a person has pointed it elsewhere. @returns true if it points there */
async function takeAlias(
  { state }: LaunchContext,
  rpc: RpcClient,
  target: { account: AccountId; deployment: DeploymentId },
): Promise<boolean> {
  const from = await demoTarget(rpc, target.account);
  if (from !== null && from !== target.deployment && from !== state.state.demo) return false;
  try {
    if (from !== target.deployment) await rpc.call(PointAlias, { ...target, alias: ALIAS, from });
  } catch (error) {
    if (isServiceError(error) && error.code === 'alias_taken') return false;
    throw error;
  }
  await state.update({ demo: target.deployment });
  return true;
}

/** Provides the deployment of this run's model, reused or new, under the alias `demo` unless a person uses that. */
export async function provideDeployment(context: LaunchContext, rpc: RpcClient, account: AccountId): Promise<DemoDeployment> {
  const source = wantedSource(context.stage);
  const id = (await reuse(context, rpc, account, source)) ?? (await create(context, rpc, account, source));
  const isAliased = await takeAlias(context, rpc, { account, deployment: id });
  return { id, path: isAliased ? `${ACCOUNT_SLUG}/${ALIAS}` : deploymentSlug(id) };
}
