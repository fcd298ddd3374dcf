import { type Incarnation, ServiceError } from '@slipway/contracts';

/** What a waiting request is told. */
export type Offer = { readonly wk: Incarnation } | { readonly error: ServiceError } | null;

/** A request that waits for a free slot. */
export interface Waiter {
  /** Tries to place it now: a worker, an error that ends the wait, or null to wait on. */
  readonly attempt: () => Offer;
  /** Some workers are closed to it: that it finds no place says nothing about those behind it. */
  readonly picky: boolean;
  readonly signal: AbortSignal;
  readonly waitMs: number;
}

interface Entry extends Pick<Waiter, 'attempt' | 'picky'> {
  readonly settle: (outcome: Exclude<Offer, null>) => void;
}

/**
 * Requests of one deployment that wait for a slot, in the order in which they came. It is driven by capacity events
 * alone; who may go first is decided here and nowhere else, so that fairness between keys has one place.
 */
export class CapacityQueue {
  readonly #entries = new Set<Entry>();

  get length(): number {
    return this.#entries.size;
  }

  /**
   * Waits for a worker. A client that leaves is out before anything is offered to it.
   * @throws ServiceError `overloaded` after `waitMs`, or what an attempt ended with.
   */
  wait({ attempt, picky, signal, waitMs }: Waiter): Promise<Incarnation> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Exclude<Offer, null>): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#entries.delete(entry);
        if ('wk' in outcome) resolve(outcome.wk);
        else reject(outcome.error);
      };
      const entry: Entry = { attempt, picky, settle };
      const onAbort = (): void => settle({ error: new ServiceError('cancelled', 'The client left while its request was waiting.') });
      const timer = setTimeout(() => settle({ error: overloaded(this.length) }), waitMs);
      this.#entries.add(entry);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  /** Offers free slots to those who wait, until the first of them for whom there is none. */
  offer(): void {
    for (const entry of this.#entries) {
      const offer = entry.attempt();
      if (offer) entry.settle(offer);
      else if (!entry.picky) return;
    }
  }
}

/** @param waiting how many wait already: a hint for when to come back. */
export const overloaded = (waiting: number): ServiceError =>
  new ServiceError('overloaded', 'All slots of this deployment are taken; try again soon.', {
    retryAfterS: Math.min(30, 1 + Math.floor(waiting / 8)),
  });
