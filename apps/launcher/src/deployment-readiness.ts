import { type AccountId, type DeploymentId, type DeploymentView } from '@slipway/contracts';
import { allDeployments, type RpcClient } from '@slipway/platform';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import type { LaunchContext } from './launch-context.js';
import type { WorkerReports } from './worker-reports.js';
import { waitUntil } from './wait-until.js';

/** Time without any change of state after which a deployment that does not come up is given up, in milliseconds. */
const STUCK_AFTER_MS = 60_000;
/** Time after which a bad state is believed that may date from an earlier run, or from before the workers reported. */
const BELIEVED_AFTER_MS = 10_000;

const describe = ({ state, progress, reason, detail }: DeploymentView): string =>
  [state, progress === null ? '' : `${Math.round(progress * 100)} %`, reason ?? '', detail ?? ''].filter((part) => part !== '').join(', ');

/** Decides that a deployment will not come up. */
export class Patience {
  #since: number;
  #last: string | null = null;
  #changed = false;

  constructor(private readonly now: () => number = Date.now) {
    this.#since = now();
  }

  /** Why it is hopeless, or null while it may come up. */
  lost(view: DeploymentView): string | null {
    const text = describe(view);
    if (text !== this.#last) {
      this.#changed = this.#last !== null;
      this.#since = this.now();
      this.#last = text;
    }
    const waited = this.now() - this.#since;
    if (view.state === 'failed' && (this.#changed || waited > BELIEVED_AFTER_MS)) return text;
    if (view.reason === 'no_capacity' && waited > BELIEVED_AFTER_MS) return text;
    return waited > STUCK_AFTER_MS ? `no progress for ${STUCK_AFTER_MS / 1_000} s: ${text}` : null;
  }
}

export interface Awaited {
  readonly account: AccountId;
  readonly id: DeploymentId;
  readonly reports: WorkerReports;
}

/**
 * Waits until as many workers as there are serve the deployment. The service's word is not enough:
 * right after its start it may repeat what was true in an earlier run.
 * @returns the deployment as it serves
 * @param detail hears of the progress
 * @throws StartError with the deployment's own reason when it fails or is stuck
 */
export async function waitForDeployment(
  context: LaunchContext,
  rpc: RpcClient,
  { account, id, reports }: Awaited,
  detail: (text: string) => void,
): Promise<DeploymentView> {
  const { stage, signal } = context;
  const patience = new Patience();
  const failure = (why: string): Error => new StartError(`deployment-${id} does not become ready (${why}).`);
  const ask = async (): Promise<DeploymentView | null> => {
    const view = (await allDeployments(rpc, account)).deployments.find((one) => one.id === id);
    if (!view) throw failure('it is gone');
    detail(describe(view));
    const answers = view.state === 'ready' || view.state === 'degraded';
    if (answers && reports.serving(id, view.rev) >= Math.min(view.replicas, stage.options.workers)) return view;
    const why = patience.lost(view);
    if (why !== null) throw failure(why);
    return null;
  };
  return waitUntil(ask, { everyMs: 50, withinMs: Infinity, timedOut: () => failure('too slow'), signal });
}
