import { type DeploymentFacts, type DeploymentId, type Heartbeat, type Incarnation, type KeyId, ServiceError } from '@slipway/contracts';
import type { Abortable, Refusal, WorkerChooser } from '@slipway/stream-transport';
import { CapacityQueue, type Offer, overloaded } from './capacity-queue.js';
import { chooseWorker } from './choose-worker.js';
import { CountRouter } from './count-router.js';
import type { WorkerTable } from './worker-table.js';

/** Requests that may wait for each slot of a deployment. */
const WAITING_PER_SLOT = 4;

/** What a stream needs to be placed. */
export interface RouteRequest {
  readonly deployment: DeploymentId;
  readonly rev: number;
  readonly affinity: number;
  /** Key of the request, for fairness in the queue. */
  readonly key: KeyId;
  /** Estimated tokens. */
  readonly cost: number;
}

interface Waiting extends RouteRequest {
  readonly waitUntil: number;
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

  /** The chooser of one stream. */
  chooserFor(route: RouteRequest): WorkerChooser {
    // One deadline for the stream, however often a chosen worker turns out to be full.
    const request = { ...route, waitUntil: this.options.now() + this.options.queueWaitMs };
    return {
      choose: (excluded, stream) => this.#choose(request, excluded, stream),
      released: (wk) => this.#released(request.deployment, wk),
      refused: (wk, refusal) => this.#refused(request.deployment, wk, refusal),
    };
  }

  /** The chooser of one count of tokens, which never waits. */
  countChooserFor(route: RouteRequest): WorkerChooser {
    return this.#counts.chooserFor(route);
  }

  /** The revision to request: the old one serves until the new one is ready. */
  revisionOf({ id, rev }: DeploymentFacts): number {
    return this.options.table.servingRevision(id, rev);
  }

  /** A worker accepted a stream, which closes its breaker. */
  accepted(deployment: DeploymentId, wk: Incarnation): void {
    this.options.table.worker(deployment, wk)?.breaker.succeeded();
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
    if (queue.length >= WAITING_PER_SLOT * this.#slots(request) && !queue.makeRoomFor(request.key)) throw overloaded(queue.length);
    this.#queues.set(request.deployment, queue);
    const waitMs = Math.max(0, request.waitUntil - this.options.now());
    const attempt = (): Offer => this.#place(request, excluded);
    return queue.wait({ attempt, hasExclusions: excluded.size > 0, signal: stream.signal, waitMs, flow: request.key, cost: request.cost });
  }

  #place(request: RouteRequest, excluded: ReadonlySet<Incarnation>): Offer {
    const { table, random } = this.options;
    const { deployment, rev, affinity } = request;
    const wk = chooseWorker(table.candidates(deployment, rev, excluded), affinity, random);
    if (wk === null) return this.#noWorkerLeft(request, excluded);
    table.worker(deployment, wk)?.started();
    return { wk };
  }

  /** The error when no live worker is left for this request, else null. */
  #noWorkerLeft({ deployment }: RouteRequest, excluded: ReadonlySet<Incarnation>): Offer {
    const live = this.options.table.live(deployment);
    if (live.some(({ wk }) => !excluded.has(wk))) return null;
    return {
      error: new ServiceError('deployment_unavailable', 'No worker of this deployment can take the request right now; try again soon.', {
        retryAfterS: 2,
      }),
    };
  }

  #slots({ deployment }: RouteRequest): number {
    return this.options.table.live(deployment).reduce((sum, { slots }) => sum + slots, 0);
  }

  #released(deployment: DeploymentId, wk: Incarnation): void {
    const worker = this.options.table.worker(deployment, wk);
    worker?.released();
    worker?.breaker.undecided();
    this.#offer(deployment);
  }

  #refused(deployment: DeploymentId, wk: Incarnation, refusal: Refusal): void {
    const worker = this.options.table.worker(deployment, wk);
    if (!worker) return;
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
