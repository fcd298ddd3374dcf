import { type DeploymentId, deploymentOfRunner, type Heartbeat, type Incarnation } from '@slipway/contracts';
import type { DeploymentLoad } from '../observability/deployment-metrics.js';
import { KnownWorker } from './known-worker.js';

/** Most runners of a deployment whose agents the feed does not name. */
const FOREIGN_MAX = 256;
/** Most runners of one agent for a deployment: one per revision, and those that died within `FORGET_MS`. */
const SAME_AGENT_MAX = 1_024;
/** Most runners of one agent over all deployments for which the feed does not name it. */
const UNNAMED_OF_AGENT_MAX = 4_096;
/** The same for all agents together. A starting gateway receives heartbeats of all runners before it has read the feed. */
const UNNAMED_MAX = 65_536;

/**
 * Whether the deployment feed names an agent for a deployment. `foreign` = it names others; `unknown` = the feed does not have the
 * deployment, names no agents, or is not fresh.
 */
export type Standing = 'named' | 'foreign' | 'unknown';

/** The runners of all deployments, known by their heartbeats. */
export class WorkerTable {
  readonly #deployments = new Map<DeploymentId, Map<Incarnation, KnownWorker>>();
  /** Number of runners whose agents the feed does not name, by agent: as of the last sweep, plus those added since. */
  readonly #unnamedOf = new Map<string, number>();
  #unnamed = 0;

  /** @param standing by the deployment feed; requests go to all agents but foreign ones. */
  constructor(
    private readonly now: () => number,
    private readonly standing: (deployment: DeploymentId, agent: string) => Standing = () => 'named',
  ) {}

  /** Applies a heartbeat. @returns false where it is stale, belongs to another deployment, or there is no room for the runner */
  report(heartbeat: Heartbeat): boolean {
    const only = deploymentOfRunner(heartbeat.wk);
    if (only !== null && only !== heartbeat.dep) return false;
    const workers = this.#deployments.get(heartbeat.dep);
    const known = workers?.get(heartbeat.wk);
    if (known) return known.report(heartbeat, this.now());
    const worker = new KnownWorker(heartbeat, this.now());
    if (!this.#hasRoom(heartbeat.dep, worker)) return false;
    if (workers) workers.set(heartbeat.wk, worker);
    else this.#deployments.set(heartbeat.dep, new Map([[heartbeat.wk, worker]]));
    return true;
  }

  /** Limits the table: anyone with a worker's credentials can forge heartbeats, and a compromised agent also names. */
  #hasRoom(deployment: DeploymentId, { agent }: KnownWorker): boolean {
    const workers = [...(this.#deployments.get(deployment)?.values() ?? [])];
    if (workers.filter((other) => other.agent === agent).length >= SAME_AGENT_MAX) return false;
    const standing = this.standing(deployment, agent);
    if (standing === 'named') return true;
    if (standing === 'foreign' && workers.length >= FOREIGN_MAX) return false;
    if (this.#unnamed >= UNNAMED_MAX || (this.#unnamedOf.get(agent) ?? 0) >= UNNAMED_OF_AGENT_MAX) return false;
    this.#countUnnamed(agent);
    return true;
  }

  #countUnnamed(agent: string): void {
    this.#unnamed += 1;
    this.#unnamedOf.set(agent, (this.#unnamedOf.get(agent) ?? 0) + 1);
  }

  worker(deployment: DeploymentId, wk: Incarnation): KnownWorker | undefined {
    return this.#deployments.get(deployment)?.get(wk);
  }

  /**
   * Runners of a deployment that are ready, have a recent heartbeat, and belong to an agent that the feed does not exclude. A
   * runner whose agent the feed does not name yet becomes live as soon as it does.
   */
  live(deployment: DeploymentId): KnownWorker[] {
    const now = this.now();
    return [...(this.#deployments.get(deployment)?.values() ?? [])].filter(
      (worker) => worker.isLive(now) && this.standing(deployment, worker.agent) !== 'foreign',
    );
  }

  isReady(deployment: DeploymentId): boolean {
    return this.live(deployment).length > 0;
  }

  /** The wanted revision if a runner is ready with it, else the newest ready one. */
  servingRevision(deployment: DeploymentId, wanted: number): number {
    const revisions = this.live(deployment).map(({ rev }) => rev);
    return revisions.length === 0 || revisions.includes(wanted) ? wanted : Math.max(...revisions);
  }

  /** The workers for `chooseWorker`. */
  candidates(deployment: DeploymentId, rev: number, excluded: ReadonlySet<Incarnation>): KnownWorker[] {
    const now = this.now();
    return this.live(deployment).filter((worker) => worker.rev === rev && !excluded.has(worker.wk) && worker.breaker.allows(now));
  }

  /** Removes runners that are gone. */
  sweep(): void {
    const now = this.now();
    this.#unnamed = 0;
    this.#unnamedOf.clear();
    for (const [deployment, workers] of this.#deployments) {
      for (const [wk, worker] of workers) {
        if (worker.isForgotten(now)) workers.delete(wk);
        else if (this.standing(deployment, worker.agent) !== 'named') this.#countUnnamed(worker.agent);
      }
      if (workers.size === 0) this.#deployments.delete(deployment);
    }
  }

  /** Live runners over all deployments, for the metrics. */
  get size(): number {
    let size = 0;
    for (const deployment of this.#deployments.keys()) size += this.live(deployment).length;
    return size;
  }

  /** Streams of this gateway by deployment, where there are any. */
  streams(): Map<DeploymentId, number> {
    const streams = new Map<DeploymentId, number>();
    for (const [deployment, workers] of this.#deployments) {
      let inFlight = 0;
      for (const worker of workers.values()) inFlight += worker.inFlight;
      if (inFlight > 0) streams.set(deployment, inFlight);
    }
    return streams;
  }

  /** What the runners of a deployment have, for the metrics. Those of agents that the feed excludes do not count. */
  figures(deployment: DeploymentId): Pick<DeploymentLoad, 'inFlight' | 'slots' | 'slotsUsed' | 'replicas'> {
    const now = this.now();
    const replicas = { starting: 0, ready: 0, draining: 0, silent: 0 };
    let [inFlight, slots, slotsUsed] = [0, 0, 0];
    for (const worker of this.#deployments.get(deployment)?.values() ?? []) {
      inFlight += worker.inFlight;
      if (this.standing(deployment, worker.agent) === 'foreign') continue;
      const state = worker.stateAt(now);
      replicas[state] += 1;
      if (state !== 'ready') continue;
      slots += worker.slots;
      slotsUsed += worker.used;
    }
    return { inFlight, slots, slotsUsed, replicas };
  }

  /** Deployments with a known runner. */
  deployments(): DeploymentId[] {
    return [...this.#deployments.keys()];
  }
}
