/**
 * Collects items and sends them together: those of one turn of the event loop at its end, or all that come within a bounded time
 * where there are many. The NATS client writes to its socket once for everything published together, and a write costs more
 * than a frame.
 */
export class TurnOutbox<T> {
  #items: T[] = [];
  #leaving = false;
  #timer: NodeJS.Timeout | undefined;

  readonly #send: (items: readonly T[]) => void;
  readonly #holdMs: number;
  readonly #waitMs: () => number;

  /**
   * @param send gets the items in order, at least one
   * @param holdMs longest wait of a held item
   * @param waitMs how long the first item waits for others now; 0 = to the end of its turn
   */
  constructor(send: (items: readonly T[]) => void, { holdMs, waitMs = () => 0 }: { holdMs: number; waitMs?: () => number }) {
    this.#send = send;
    this.#holdMs = holdMs;
    this.#waitMs = waitMs;
  }

  put(item: T): void {
    this.#items.push(item);
    if (this.#leaving) return;
    this.#leaving = true;
    const wait = this.#waitMs();
    if (wait === 0) setImmediate(() => this.flush());
    else this.#flushWithin(wait);
  }

  /** Sends the item just before the next one that is put, or alone after `holdMs`. */
  hold(item: T): void {
    this.#items.push(item);
    this.#timer ??= setTimeout(() => this.flush(), this.#holdMs);
  }

  /** Sends everything now. */
  flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#leaving = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (items.length > 0) this.#send(items);
  }

  #flushWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), ms);
  }
}
