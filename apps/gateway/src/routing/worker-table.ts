import { agentOfRunner, type DeploymentId, deploymentOfRunner, type Heartbeat, type Incarnation } from '@slipway/contracts';
import { hashText } from './affinity.js';
import { Breaker } from './breaker.js';
import type { Candidate } from './choose-worker.js';

/** A runner that was silent for three of its beats is not chosen, in milliseconds. */
const FRESH_MS = 3_000;
/** It is forgotten when nothing of ours runs there either, in milliseconds. */
const FORGET_MS = 30_000;

/** Runners of one deployment that are kept while the feed names other agents. */
const FOREIGN_MAX = 256;
/** Runners of one deployment that are kept of one agent; it has one for each revision, and those that died within `FORGET_MS`. */
const SAME_AGENT_MAX = 1_024;
/** Runners that are kept of one agent while the feed does not name it for their deployments, over all of these. */
const UNNAMED_OF_AGENT_MAX = 4_096;
/** The same of all agents. A gateway that starts hears every runner before it has read the feed. */
const UNNAMED_MAX = 65_536;

/**
 * What the deployment feed says of an agent and a deployment: that it serves it, that others do, or nothing that counts, because
 * it does not know the deployment, comes from a service that names no agents, or is not fresh.
 */
export type Standing = 'named' | 'foreign' | 'unknown';

/** The agent of a runner; workers of before 2027 have runners with names of their own. */
const agentNameOf = (wk: string): string => agentOfRunner(wk) ?? wk;

/** A runner as this gateway sees it. */
export class KnownWorker {
  readonly hash: number;
  readonly agent: string;
  readonly breaker = new Breaker();
  /** Streams of this gateway there. */
  inFlight = 0;
  /** Requests that it runs or that wait in it, as far as is known: what it reported, and what was begun and ended there since. */
  #load: number;
  #slots: number;
  #suspect = false;
  /** The attempt that is released next was refused: it never had a slot. */
  #refused = false;

  readonly wk: Incarnation;
  // No more than is used: whoever can invent names decides what a report holds, and how many there are.
  #rev: number;
  #state: Heartbeat['state'];
  #n: number;

  constructor(
    beat: Heartbeat,
    private heardAt: number,
  ) {
    this.wk = beat.wk;
    this.hash = hashText(beat.wk);
    this.agent = agentNameOf(beat.wk);
    this.#rev = beat.rev;
    this.#state = beat.state;
    this.#n = beat.n;
    this.#load = beat.used + beat.queued;
    this.#slots = beat.slots;
  }

  get rev(): number {
    return this.#rev;
  }

  get slots(): number {
    return this.#slots;
  }

  /** Slots that should be free; never more than our own streams there leave. */
  get free(): number {
    return this.#slots - Math.max(this.#load, this.inFlight);
  }

  /** Takes a report, unless it is older than what is known. */
  report(beat: Heartbeat, now: number): boolean {
    if (beat.n < this.#n) return false;
    this.#rev = beat.rev;
    this.#state = beat.state;
    this.#n = beat.n;
    this.heardAt = now;
    this.#load = beat.used + beat.queued;
    this.#slots = beat.slots;
    this.#suspect = false;
    return true;
  }

  isLive(now: number): boolean {
    return this.#state === 'ready' && !this.#suspect && now - this.heardAt <= FRESH_MS;
  }

  isForgotten(now: number): boolean {
    return this.inFlight === 0 && now - this.heardAt > FORGET_MS;
  }

  started(): void {
    this.inFlight += 1;
    this.#load += 1;
    this.breaker.started();
  }

  /** One of our streams there is over: its slot, or its place in the queue, is counted as free until the next report. */
  released(): void {
    this.inFlight -= 1;
    if (!this.#refused) this.#load = Math.max(0, this.#load - 1);
    this.#refused = false;
  }

  /** It refused a start for want of room: its figures are newer than the last report. */
  isFull(used: number, slots: number): void {
    this.#load = Math.max(used, slots);
    this.#slots = slots;
    this.#refused = true;
  }

  /** Nobody serves its subject, or it is leaving: nothing goes there until it reports again. */
  suspect(): void {
    this.#suspect = true;
  }
}

/** The runners of all deployments, as their heartbeats tell them. */
export class WorkerTable {
  readonly #deployments = new Map<DeploymentId, Map<Incarnation, KnownWorker>>();
  /** Runners of agents that the feed does not name, each agent's and all: as of the last sweep, and what came since. */
  readonly #unnamedOf = new Map<string, number>();
  #unnamed = 0;

  /** @param standing what the deployment feed says now; requests go to all agents but foreign ones. */
  constructor(
    private readonly now: () => number,
    private readonly standing: (deployment: DeploymentId, agent: string) => Standing = () => 'named',
  ) {}

  /** @returns true when the report says something new, and comes from who may say it. */
  report(beat: Heartbeat): boolean {
    const only = deploymentOfRunner(beat.wk);
    if (only !== null && only !== beat.dep) return false;
    const workers = this.#deployments.get(beat.dep);
    const known = workers?.get(beat.wk);
    if (known) return known.report(beat, this.now());
    const worker = new KnownWorker(beat, this.now());
    if (!this.#hasRoom(beat.dep, worker)) return false;
    if (workers) workers.set(beat.wk, worker);
    else this.#deployments.set(beat.dep, new Map([[beat.wk, worker]]));
    return true;
  }

  /** Anybody with a worker's credentials can invent reports, and an agent that was taken over names too. */
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
   * Runners of a deployment that are ready, were heard of lately, and belong to an agent that it was assigned to. A runner
   * that reports before the feed names its agent is known, and live as soon as it does.
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

  /** The revision to ask for: the wanted one if a runner is ready with it, else the newest that has one. */
  servingRevision(deployment: DeploymentId, wanted: number): number {
    const revisions = this.live(deployment).map(({ rev }) => rev);
    return revisions.length === 0 || revisions.includes(wanted) ? wanted : Math.max(...revisions);
  }

  /** What `chooseWorker` may choose from. */
  candidates(deployment: DeploymentId, rev: number, excluded: ReadonlySet<Incarnation>): Candidate[] {
    const now = this.now();
    return this.live(deployment).filter((worker) => worker.rev === rev && !excluded.has(worker.wk) && worker.breaker.allows(now));
  }

  /** Forgets runners that are gone. */
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

  /** Deployments of which a runner was heard. */
  deployments(): DeploymentId[] {
    return [...this.#deployments.keys()];
  }
}
