import { type DeploymentId, type Incarnation, ServiceError } from '@slipway/contracts';
import type { Refusal, WorkerChooser } from '@slipway/stream-transport';
import { mix } from './choose-worker.js';
import type { WorkerTable } from './worker-table.js';

/** Concurrent token counts on one runner. */
const COUNTS_PER_WORKER = 64;

/** What a token count needs to be placed. */
export interface CountRoute {
  readonly deployment: DeploymentId;
  readonly rev: number;
  readonly affinity: number;
}

/** Places token counts on runners. They need no slot, so they never wait for one. */
export class CountRouter {
  readonly #running = new Map<Incarnation, number>();

  constructor(
    private readonly table: WorkerTable,
    private readonly now: () => number,
  ) {}

  /** The chooser of one count. */
  chooserFor(route: CountRoute): WorkerChooser {
    return {
      // Async, so that a thrown error becomes a rejection.
      choose: async (excluded) => this.#choose(route, excluded),
      released: (wk) => this.#add(wk, -1),
      refused: (wk, refusal) => this.#refused(route.deployment, wk, refusal),
    };
  }

  #choose({ deployment, rev, affinity }: CountRoute, excluded: ReadonlySet<Incarnation>): Incarnation {
    const candidates = this.table.candidates(deployment, rev, excluded);
    const open = candidates.filter(({ wk }) => (this.#running.get(wk) ?? 0) < COUNTS_PER_WORKER);
    const [first] = open.toSorted((one, other) => mix(affinity ^ other.hash) - mix(affinity ^ one.hash));
    if (!first) throw candidates.length > 0 ? tooMany() : noWorker();
    this.#add(first.wk, 1);
    return first.wk;
  }

  #add(wk: Incarnation, change: number): void {
    const running = (this.#running.get(wk) ?? 0) + change;
    if (running > 0) this.#running.set(wk, running);
    else this.#running.delete(wk);
  }

  /** A refused count changes nothing about the runner's slots. */
  #refused(deployment: DeploymentId, wk: Incarnation, refusal: Refusal): void {
    const worker = this.table.worker(deployment, wk);
    if (refusal.kind !== 'rejected') worker?.breaker.failed(this.now());
    const isLeaving = refusal.kind === 'rejected' && (refusal.code === 'draining' || refusal.code === 'not_here');
    if (isLeaving || refusal.kind !== 'rejected') worker?.suspect();
  }
}

const tooMany = (): ServiceError =>
  new ServiceError('overloaded', 'Too many requests of this deployment have their tokens counted; try again soon.', { retryAfterS: 1 });

const noWorker = (): ServiceError =>
  new ServiceError('deployment_unavailable', 'No worker of this deployment can count tokens right now; try again soon.', {
    retryAfterS: 2,
  });
