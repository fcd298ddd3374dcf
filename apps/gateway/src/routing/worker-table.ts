import { agentOfRunner, type DeploymentId, type Heartbeat, type Incarnation } from '@slipway/contracts';
import { hashText } from './affinity.js';
import { Breaker } from './breaker.js';
import type { Candidate } from './choose-worker.js';

/** A runner that was silent for three of its beats is not chosen, in milliseconds. */
const FRESH_MS = 3_000;
/** It is forgotten when nothing of ours runs there either, in milliseconds. */
const FORGET_MS = 30_000;

/** Runners of one deployment that are kept while nobody named their agents. */
const RUNNERS_MAX = 256;

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

  constructor(
    private beat: Heartbeat,
    private heardAt: number,
  ) {
    this.hash = hashText(beat.wk);
    this.agent = agentNameOf(beat.wk);
    this.#load = beat.used + beat.queued;
    this.#slots = beat.slots;
  }

  get wk(): Incarnation {
    return this.beat.wk;
  }

  get rev(): number {
    return this.beat.rev;
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
    if (beat.n < this.beat.n) return false;
    this.beat = beat;
    this.heardAt = now;
    this.#load = beat.used + beat.queued;
    this.#slots = beat.slots;
    this.#suspect = false;
    return true;
  }

  isLive(now: number): boolean {
    return this.beat.state === 'ready' && !this.#suspect && now - this.heardAt <= FRESH_MS;
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

  /** @param isNamed whether requests for a deployment may go to runners of the agent. It may change at any time. */
  constructor(
    private readonly now: () => number,
    private readonly isNamed: (deployment: DeploymentId, agent: string) => boolean = () => true,
  ) {}

  /** @returns true when the report says something new. */
  report(beat: Heartbeat): boolean {
    const workers = this.#deployments.get(beat.dep) ?? new Map<Incarnation, KnownWorker>();
    this.#deployments.set(beat.dep, workers);
    const known = workers.get(beat.wk);
    if (known) return known.report(beat, this.now());
    // Anybody with a worker's credentials can invent names.
    if (workers.size >= RUNNERS_MAX && !this.isNamed(beat.dep, agentNameOf(beat.wk))) return false;
    workers.set(beat.wk, new KnownWorker(beat, this.now()));
    return true;
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
      (worker) => worker.isLive(now) && this.isNamed(deployment, worker.agent),
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
    for (const [deployment, workers] of this.#deployments) {
      for (const [wk, worker] of workers) if (worker.isForgotten(now)) workers.delete(wk);
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
