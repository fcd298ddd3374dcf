import { type Incarnation, ServiceError } from '@slipway/contracts';

/** Result of one attempt to place a request: a worker, a final error, or null to wait. */
export type Offer = { readonly wk: Incarnation } | { readonly error: ServiceError } | null;

/** A request that waits for a free slot. */
export interface Waiter {
  /** Tries to place the request now. */
  readonly attempt: () => Offer;
  /** It excludes some workers, so requests behind it may find a slot where it finds none. */
  readonly hasExclusions: boolean;
  readonly signal: AbortSignal;
  readonly waitMs: number;
  /** Key of the request: keys take turns. */
  readonly flow: number;
  /** Estimated tokens. */
  readonly cost: number;
  /** The request's turn, kept over its waits: one whose worker was full after all waits on where it stood. */
  readonly turn: Turn;
}

/** Place of a request in the order of its queue. */
export interface Turn {
  /** Virtual start time; null before the first wait. */
  start: number | null;
}

interface Entry extends Pick<Waiter, 'attempt' | 'hasExclusions' | 'flow'> {
  /** Virtual start time, which orders the queue. */
  readonly start: number;
  readonly settle: (outcome: Exclude<Offer, null>) => void;
}

/**
 * Requests of one deployment that wait for a slot. Keys take turns by the cost of their requests (start-time fair queueing), so
 * one key's burst delays only itself; requests of one key keep their order.
 */
export class CapacityQueue {
  /** Ordered by virtual start time. */
  #entries: Entry[] = [];
  /** Earliest virtual start time of each flow's next request. */
  readonly #turns = new Map<number, number>();
  #clock = 0;

  #behindSince: number | null = null;

  get length(): number {
    return this.#entries.length;
  }

  /**
   * Waits for a worker.
   * @throws ServiceError `overloaded` after `waitMs`, `cancelled` when the client left, or the error of an attempt.
   */
  wait({ attempt, hasExclusions, signal, waitMs, flow, cost, turn }: Waiter): Promise<Incarnation> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Exclude<Offer, null>): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#entries = this.#entries.filter((other) => other !== entry);
        if (this.#entries.length === 0) this.#turns.clear();
        if ('wk' in outcome) resolve(outcome.wk);
        else reject(outcome.error);
      };
      const waitedBefore = turn.start !== null;
      const start = this.#startOf(turn, flow, cost);
      const entry: Entry = { attempt, hasExclusions, settle, flow, start };
      const onAbort = (): void => settle({ error: new ServiceError('cancelled', 'The client left while its request was waiting.') });
      const timer = setTimeout(() => settle({ error: overloaded(this.length) }), waitMs);
      this.#insert(entry, waitedBefore);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  /** The clock begins anew when nothing waits, so a kept turn may lie after that of a request which came later. */
  #startOf(turn: Turn, flow: number, cost: number): number {
    const next = Math.max(this.#clock, this.#turns.get(flow) ?? 0);
    const start = Math.min(turn.start ?? next, next);
    if (turn.start === null) this.#turns.set(flow, start + Math.max(1, cost));
    turn.start = start;
    return start;
  }

  /** Places waiting requests in order, up to the first that finds no slot. */
  offer(): void {
    // A copy, since settled entries are removed.
    for (const entry of [...this.#entries]) {
      const offer = entry.attempt();
      if (offer) {
        this.#clock = Math.max(this.#clock, entry.start);
        entry.settle(offer);
      } else if (!entry.hasExclusions) return;
    }
  }

  /**
   * Notes whether its requests wait for workers that are behind, in place of slots.
   * @returns for how long they have done so without a pause, in the unit of `now`
   */
  behindFor(isBehind: boolean, now: number): number {
    this.#behindSince = isBehind ? (this.#behindSince ?? now) : null;
    return now - (this.#behindSince ?? now);
  }

  /**
   * Makes room for a request by refusing the last one of the flow with most waiting requests.
   * @returns false when that would be the request's own flow, which then has its share of the queue.
   */
  makeRoomFor(flow: number): boolean {
    if (!this.hasShareFor(flow)) return false;
    this.#dropOne();
    return true;
  }

  /** Whether a request of this flow may take the place of another flow's last one. */
  hasShareFor(flow: number): boolean {
    const waiting = this.#lengths();
    return Math.max(0, ...waiting.values()) > (waiting.get(flow) ?? 0) + 1;
  }

  /** Refuses the last requests of the flows with most of them, until so many are left. */
  shrinkTo(most: number): void {
    while (this.length > most) this.#dropOne();
  }

  #dropOne(): void {
    const waiting = this.#lengths();
    const longest = Math.max(0, ...waiting.values());
    this.#entries.findLast(({ flow }) => waiting.get(flow) === longest)?.settle({ error: overloaded(this.length) });
  }

  /** Number of waiting requests of each flow. */
  #lengths(): Map<number, number> {
    const waiting = new Map<number, number>();
    for (const { flow } of this.#entries) waiting.set(flow, (waiting.get(flow) ?? 0) + 1);
    return waiting;
  }

  /** Of requests with the same start, one that waited before is the first. */
  #insert(entry: Entry, waitedBefore: boolean): void {
    const behind = this.#entries.findIndex(({ start }) => start > entry.start || (waitedBefore && start === entry.start));
    this.#entries.splice(behind < 0 ? this.#entries.length : behind, 0, entry);
  }
}

/** @param waiting length of the queue, from which `retry-after` is estimated. */
export const overloaded = (waiting: number): ServiceError =>
  new ServiceError('overloaded', 'This deployment has as many requests as it can take; try again soon.', {
    retryAfterS: Math.min(30, 1 + Math.floor(waiting / 8)),
  });
