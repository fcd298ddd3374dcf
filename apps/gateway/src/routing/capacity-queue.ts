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
  /** Whose request it is: those of one key wait behind each other before they let others wait. */
  readonly flow: number;
  /** Tokens that it may take. */
  readonly cost: number;
}

interface Entry extends Pick<Waiter, 'attempt' | 'picky' | 'flow'> {
  /** Place in the order: the virtual time at which its flow's turn begins. */
  readonly start: number;
  readonly settle: (outcome: Exclude<Offer, null>) => void;
}

/**
 * Requests of one deployment that wait for a slot. Keys take turns by what their requests cost (start-time fair queueing), so
 * one key's burst makes itself wait and not the others; requests of one key stay in their order. It is driven by capacity
 * events alone; who may go first is decided here and nowhere else.
 */
export class CapacityQueue {
  /** In the order of their turns. */
  #entries: Entry[] = [];
  /** Virtual time at which each flow's next turn begins, at the earliest. */
  readonly #turns = new Map<number, number>();
  #clock = 0;

  get length(): number {
    return this.#entries.length;
  }

  /**
   * Waits for a worker. A client that leaves is out before anything is offered to it.
   * @throws ServiceError `overloaded` after `waitMs`, or what an attempt ended with.
   */
  wait({ attempt, picky, signal, waitMs, flow, cost }: Waiter): Promise<Incarnation> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Exclude<Offer, null>): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#entries = this.#entries.filter((other) => other !== entry);
        if (this.#entries.length === 0) this.#turns.clear();
        if ('wk' in outcome) resolve(outcome.wk);
        else reject(outcome.error);
      };
      const start = Math.max(this.#clock, this.#turns.get(flow) ?? 0);
      const entry: Entry = { attempt, picky, settle, flow, start };
      const onAbort = (): void => settle({ error: new ServiceError('cancelled', 'The client left while its request was waiting.') });
      const timer = setTimeout(() => settle({ error: overloaded(this.length) }), waitMs);
      this.#turns.set(flow, start + Math.max(1, cost));
      this.#insert(entry);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  /** Offers free slots to those who wait, until the first of them for whom there is none. */
  offer(): void {
    // A copy: whoever is settled leaves the list.
    for (const entry of [...this.#entries]) {
      const offer = entry.attempt();
      if (offer) {
        this.#clock = Math.max(this.#clock, entry.start);
        entry.settle(offer);
      } else if (!entry.picky) return;
    }
  }

  /**
   * Makes room for a request of a flow by refusing the last one of the flow that has most of them here.
   * @returns false when that is the flow's own: then it has its share of the queue.
   */
  makeRoomFor(flow: number): boolean {
    const waiting = new Map<number, Entry[]>();
    for (const entry of this.#entries) waiting.set(entry.flow, [...(waiting.get(entry.flow) ?? []), entry]);
    let longest: Entry[] = [];
    for (const entries of waiting.values()) if (entries.length > longest.length) longest = entries;
    const last = longest.at(-1);
    if (!last || longest.length <= (waiting.get(flow)?.length ?? 0) + 1) return false;
    last.settle({ error: overloaded(this.length) });
    return true;
  }

  #insert(entry: Entry): void {
    const behind = this.#entries.findIndex(({ start }) => start > entry.start);
    this.#entries.splice(behind < 0 ? this.#entries.length : behind, 0, entry);
  }
}

/** @param waiting how many wait already: a hint for when to come back. */
export const overloaded = (waiting: number): ServiceError =>
  new ServiceError('overloaded', 'All slots of this deployment are taken; try again soon.', {
    retryAfterS: Math.min(30, 1 + Math.floor(waiting / 8)),
  });
