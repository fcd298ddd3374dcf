import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  CreateDeployment,
  type DeploymentId,
  type DeploymentView,
  ListDeployments,
  type ModelSource,
  PointAlias,
  isServiceError,
} from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { LaunchContext } from './launch-context.js';
import { nameOf, wantedSource } from './model-source.js';
import { waitUntil } from './wait-until.js';

/** The alias under which the model of this run is served. */
export const ALIAS = 'demo';

/** Time without any change of state after which a deployment that does not come up is given up, in milliseconds. */
const STUCK_AFTER_MS = 60_000;
/** Time after which "no room" is believed: at first the workers have not reported yet. */
const NO_ROOM_AFTER_MS = 10_000;

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

/**
 * The deployment of this run's model under the alias `demo`: the newest one of the same source and
 * credential, or a new one.
 */
export async function provideDeployment(context: LaunchContext, rpc: RpcClient, account: AccountId): Promise<DeploymentId> {
  const source = wantedSource(context.stage);
  const credential = credentialOf(context);
  const mark = credential === undefined ? undefined : markOf(context, credential);
  const { deployments } = await rpc.call(ListDeployments, { account });
  const known = deployments.findLast((one) => isDeepStrictEqual(one.source, source) && context.state.state.credentials[one.id] === mark);
  const id = known?.id ?? (await create(context, rpc, account, source));
  if (!known?.aliases.some((alias) => alias === ALIAS)) await rpc.call(PointAlias, { account, alias: ALIAS, deployment: id });
  return id;
}

const isUp = (view: DeploymentView, workers: number): boolean =>
  view.state === 'ready' || view.ready_replicas >= Math.min(view.replicas, workers);

const describe = ({ state, progress, reason, detail }: DeploymentView): string =>
  [state, progress === null ? '' : `${Math.round(progress * 100)} %`, reason ?? '', detail ?? ''].filter((part) => part !== '').join(', ');

/** Decides that a deployment will not come up. */
class Patience {
  #since = Date.now();
  #last = '';

  /** Why it is hopeless, or null while it may come up. */
  lost(view: DeploymentView): string | null {
    const now = describe(view);
    if (now !== this.#last) {
      this.#since = Date.now();
      this.#last = now;
    }
    const waited = Date.now() - this.#since;
    if (view.state === 'failed') return now;
    if (view.reason === 'no_capacity' && waited > NO_ROOM_AFTER_MS) return now;
    return waited > STUCK_AFTER_MS ? `no progress for ${STUCK_AFTER_MS / 1_000} s: ${now}` : null;
  }
}

/**
 * Waits until the deployment answers.
 * @param detail hears of its progress
 * @throws StartError with the deployment's own reason when it fails or is stuck
 */
export async function waitForDeployment(
  context: LaunchContext,
  rpc: RpcClient,
  { account, id }: { account: AccountId; id: DeploymentId },
  detail: (text: string) => void,
): Promise<void> {
  const { stage, signal } = context;
  const patience = new Patience();
  const failure = (why: string): Error => new stage.StartError(`deployment-${id} does not become ready (${why}).`);
  const ask = async (): Promise<boolean> => {
    const view = (await rpc.call(ListDeployments, { account })).deployments.find((one) => one.id === id);
    if (!view) throw failure('it is gone');
    if (view.desired === 'stopped') {
      stage.progress.note(`deployment-${id} is stopped and answers again once it is resumed.`);
      return true;
    }
    detail(describe(view));
    if (isUp(view, stage.options.workers)) return true;
    const why = patience.lost(view);
    if (why !== null) throw failure(why);
    return false;
  };
  await waitUntil(ask, { everyMs: 100, withinMs: Infinity, timedOut: () => failure('too slow'), signal });
}
