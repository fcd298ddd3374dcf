import { type DeploymentFacts, type DeploymentId, type Heartbeat, type Incarnation, type KeyId, ServiceError } from '@slipway/contracts';
import type { Abortable, Refusal, WorkerChooser } from '@slipway/stream-transport';
import type { DeploymentLoad } from '../observability/deployment-metrics.js';
import { CapacityQueue, type Offer, overloaded, type Turn } from './capacity-queue.js';
import { chooseWorker } from './choose-worker.js';
import { CountRouter } from './count-router.js';
import type { WorkerTable } from './worker-table.js';

/** Requests that may wait for each slot of a deployment. */
const WAITING_PER_SLOT = 4;
/** Requests that may wait for workers that are behind: as many as clients start at once. */
const BURST = 512;
/** A queue for workers that are behind is no burst any more after this long, in milliseconds. */
const STANDING_MS = 1_000;
/** Requests that may then wait for each worker: some tens of milliseconds of its work. */
const WAITING_PER_WORKER = 32;
/** Estimated tokens above which the size of a request alone makes its start slow. */
const LARGE_COST = 16_384;

/** What a stream needs to be placed. */
export interface RouteRequest {
  readonly deployment: DeploymentId;
  readonly rev: number;
  readonly affinity: number;
  /** Key of the request, for fairness in the queue. */
  readonly key: KeyId;
  /** Estimated tokens. */
  readonly cost: number;
  /** Only workers that make embeddings are asked. */
  readonly embeds?: boolean;
}

interface Waiting extends RouteRequest {
  readonly waitUntil: number;
  readonly turn: Turn;
}

/** The chooser of a stream, which also learns when a worker accepts it. */
export interface RequestChooser extends WorkerChooser {
  accepted(wk: Incarnation): void;
}

/** The start that a stream has sent and that is not answered yet. */
interface PendingStart {
  wk: Incarnation | null;
  at: number;
}

export interface RouterOptions {
  readonly table: WorkerTable;
  /** Longest wait for a free slot, in milliseconds. */
  readonly queueWaitMs: number;
  readonly now: () => number;
  readonly random: () => number;
}

/** Places streams on runners; where no slot is free, they wait for a limited time. Each gateway decides alone. */
export class Router {
  readonly #queues = new Map<DeploymentId, CapacityQueue>();
  readonly #counts: CountRouter;

  constructor(private readonly options: RouterOptions) {
    this.#counts = new CountRouter(options.table, options.now);
  }

  /** Waiting requests of all deployments. */
  get waiting(): number {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += queue.length;
    return waiting;
  }

  /** Requests on workers and in queues, of the deployments that have any. */
  loads(): Map<DeploymentId, { inFlight: number; queued: number }> {
    const loads = new Map<DeploymentId, { inFlight: number; queued: number }>();
    for (const [deployment, inFlight] of this.options.table.streams()) loads.set(deployment, { inFlight, queued: 0 });
    for (const [deployment, { length: queued }] of this.#queues) {
      if (queued > 0) loads.set(deployment, { inFlight: loads.get(deployment)?.inFlight ?? 0, queued });
    }
    return loads;
  }

  /** The load of these deployments, and of those that have workers, for the metrics. */
  deployments(wanted: readonly DeploymentId[]): DeploymentLoad[] {
    const { table } = this.options;
    return [...new Set([...wanted, ...table.deployments()])].map((id) => {
      const waiting = this.#queues.get(id)?.length ?? 0;
      return { id, waiting, ...table.figures(id) };
    });
  }

  /** The chooser of one stream. */
  chooserFor(route: RouteRequest): RequestChooser {
    const { now, queueWaitMs } = this.options;
    // One deadline for the stream, however often a chosen worker turns out to be full.
    const request = { waitUntil: now() + queueWaitMs, turn: { start: null }, ...route };
    const pending: PendingStart = { wk: null, at: 0 };
    return {
      choose: async (excluded, stream) => {
        const wk = await this.#choose(request, excluded, stream);
        pending.wk = wk;
        pending.at = now();
        return wk;
      },
      accepted: (wk) => this.#accepted(request, wk, pending),
      released: (wk) => this.#released(request.deployment, wk, pending),
      refused: (wk, refusal) => this.#refused(request.deployment, wk, refusal),
    };
  }

  /** The chooser of one count of tokens, which never waits. */
  countChooserFor(route: RouteRequest): RequestChooser {
    return {
      ...this.#counts.chooserFor(route),
      accepted: (wk) => this.options.table.worker(route.deployment, wk)?.breaker.succeeded(),
    };
  }

  /** Why a request of this key would be refused before it is read: workers are behind, and enough requests wait for them. */
  refusal(deployment: DeploymentId, key: KeyId): ServiceError | null {
    const queue = this.#queues.get(deployment);
    if (!queue || queue.length < this.#mostWaiting(deployment, queue) || queue.hasShareFor(key)) return null;
    return overloaded(queue.length);
  }

  /** The revision to request: the old one serves until the new one is ready. */
  revisionOf({ id, rev }: DeploymentFacts): number {
    return this.options.table.servingRevision(id, rev);
  }

  /** Slots of the live workers of a deployment. */
  slotsOf(deployment: DeploymentId): number {
    return this.options.table.live(deployment).reduce((sum, { slots }) => sum + slots, 0);
  }

  /** Updates a runner from its heartbeat, and places requests that waited for it. */
  onHeartbeat(heartbeat: Heartbeat): void {
    if (this.options.table.report(heartbeat)) this.#offer(heartbeat.dep);
  }

  /** Removes runners that are gone, and fails waiting requests that no runner is left for. */
  sweep(): void {
    this.options.table.sweep();
    for (const [deployment, queue] of this.#queues) {
      queue.offer();
      if (queue.length === 0) this.#queues.delete(deployment);
    }
  }

  async #choose(request: Waiting, excluded: ReadonlySet<Incarnation>, stream: Abortable): Promise<Incarnation> {
    const queue = this.#queues.get(request.deployment) ?? new CapacityQueue();
    const offer = queue.length === 0 ? this.#place(request, excluded) : this.#noWorkerLeft(request, excluded);
    if (offer) {
      if ('wk' in offer) return offer.wk;
      throw offer.error;
    }
    const most = this.#mostWaiting(request.deployment, queue);
    queue.shrinkTo(most);
    if (queue.length >= most && !queue.makeRoomFor(request.key)) throw overloaded(queue.length);
    this.#queues.set(request.deployment, queue);
    const waitMs = Math.max(0, request.waitUntil - this.options.now());
    const attempt = (): Offer => this.#place(request, excluded);
    const { key: flow, cost, turn } = request;
    return queue.wait({ attempt, hasExclusions: excluded.size > 0, signal: stream.signal, waitMs, flow, cost, turn });
  }

  #place(request: RouteRequest, excluded: ReadonlySet<Incarnation>): Offer {
    const { table, random } = this.options;
    const { deployment, rev, affinity, embeds = false } = request;
    const candidates = table.candidates(deployment, rev, excluded).filter((worker) => !embeds || worker.embeds);
    const wk = chooseWorker(candidates, affinity, random);
    if (wk === null) return this.#noWorkerLeft(request, excluded);
    table.worker(deployment, wk)?.started();
    return { wk };
  }

  /** The error when no live worker is left for this request, else null. */
  #noWorkerLeft({ deployment, embeds = false }: RouteRequest, excluded: ReadonlySet<Incarnation>): Offer {
    const live = this.options.table.live(deployment);
    if (live.some((worker) => !excluded.has(worker.wk) && (!embeds || worker.embeds))) return null;
    return {
      error: new ServiceError('deployment_unavailable', 'No worker of this deployment can take the request right now; try again soon.', {
        retryAfterS: 2,
      }),
    };
  }

  /** Requests that may wait: by the slots, and where workers are behind by what they can begin soon. */
  #mostWaiting(deployment: DeploymentId, queue: CapacityQueue): number {
    const live = this.options.table.live(deployment);
    const forSlots = WAITING_PER_SLOT * this.slotsOf(deployment);
    const areBehind = live.some(({ isBehind }) => isBehind);
    const isBurst = queue.behindFor(areBehind, this.options.now()) < STANDING_MS && queue.length < BURST;
    if (!areBehind) return forSlots;
    return Math.min(forSlots, isBurst ? BURST : WAITING_PER_WORKER * live.length);
  }

  /** A worker accepted a stream, which closes its breaker. */
  #accepted({ deployment, cost }: RouteRequest, wk: Incarnation, pending: PendingStart): void {
    const worker = this.options.table.worker(deployment, wk);
    worker?.breaker.succeeded();
    if (pending.wk !== wk) return;
    pending.wk = null;
    const now = this.options.now();
    worker?.starts.answered(cost > LARGE_COST ? null : now - pending.at, now);
    this.#offer(deployment);
  }

  #released(deployment: DeploymentId, wk: Incarnation, pending: PendingStart): void {
    const worker = this.options.table.worker(deployment, wk);
    if (pending.wk === wk) worker?.starts.closed();
    pending.wk = null;
    worker?.released();
    worker?.breaker.undecided();
    this.#offer(deployment);
  }

  #refused(deployment: DeploymentId, wk: Incarnation, refusal: Refusal): void {
    const worker = this.options.table.worker(deployment, wk);
    if (!worker) return;
    if (refusal.kind === 'full') return worker.isFull(worker.slots, worker.slots);
    if (refusal.kind === 'rejected') {
      if (refusal.code === 'busy') worker.isFull(refusal.used, refusal.slots);
      else if (refusal.code === 'draining' || refusal.code === 'not_here') worker.suspect();
      return;
    }
    worker.breaker.failed(this.options.now());
    worker.suspect();
  }

  #offer(deployment: DeploymentId): void {
    const queue = this.#queues.get(deployment);
    if (!queue) return;
    queue.offer();
    if (queue.length === 0) this.#queues.delete(deployment);
  }
}
