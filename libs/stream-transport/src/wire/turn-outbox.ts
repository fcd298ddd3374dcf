/**
 * Collects the items of one turn of the event loop and sends them at its end, in order. The NATS client writes to its socket
 * once for everything published together, and a write costs more than a frame.
 */
export class TurnOutbox<T> {
  #items: T[] = [];
  #leaving = false;
  #timer: NodeJS.Timeout | undefined;

  readonly #send: (item: T) => void;
  readonly #holdMs: number;

  /** @param holdMs longest wait of a held item. */
  constructor(send: (item: T) => void, holdMs: number) {
    this.#send = send;
    this.#holdMs = holdMs;
  }

  put(item: T): void {
    this.#items.push(item);
    if (this.#leaving) return;
    this.#leaving = true;
    setImmediate(() => this.flush());
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
    for (const item of items) this.#send(item);
  }
}
