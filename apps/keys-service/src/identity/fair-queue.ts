/** A waiting call. */
export interface Waiter {
  readonly start: () => void;
  /** Called when the queue is full. */
  readonly refuse: () => void;
}

/**
 * A queue of lanes that are served round robin. When it is full, the last waiter of the longest lane is refused in favour of a
 * shorter lane, so that no lane fills the queue alone.
 */
export class FairQueue {
  /** The lane to serve next is first. */
  readonly #lanes = new Map<string, Waiter[]>();
  #size = 0;

  /** @param max waiters of all lanes together */
  constructor(private readonly max: number) {}

  add(lane: string, waiter: Waiter): void {
    const length = this.#lanes.get(lane)?.length ?? 0;
    if (this.#size >= this.max && !this.#refuseOfLonger(length)) return waiter.refuse();
    const waiters = this.#lanes.get(lane) ?? [];
    waiters.push(waiter);
    this.#lanes.set(lane, waiters);
    this.#size += 1;
    return undefined;
  }

  /** Removes and returns the first waiter of the next lane; undefined when the queue is empty. */
  next(): Waiter | undefined {
    const [first] = this.#lanes;
    if (!first) return undefined;
    const [lane, waiters] = first;
    const next = waiters.shift();
    this.#lanes.delete(lane);
    if (waiters.length > 0) this.#lanes.set(lane, waiters);
    this.#size -= 1;
    return next;
  }

  /** Refuses the last waiter of the longest lane. @returns false when no lane is longer than `length + 1` */
  #refuseOfLonger(length: number): boolean {
    let longest: Waiter[] = [];
    for (const waiters of this.#lanes.values()) if (waiters.length > longest.length) longest = waiters;
    if (longest.length < length + 2) return false;
    longest.pop()?.refuse();
    this.#size -= 1;
    return true;
  }
}
