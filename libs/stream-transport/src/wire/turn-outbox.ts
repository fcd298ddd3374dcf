/**
 * Keeps what is put in during one turn of the event loop and sends it at the end of that turn, in order: the client writes
 * to its socket once for everything that is published together, and a write costs more than a frame.
 */
export class TurnOutbox<T> {
  #items: T[] = [];
  #leaving = false;
  #timer: NodeJS.Timeout | undefined;

  readonly #send: (item: T) => void;
  readonly #holdMs: number;

  /** @param holdMs time that what is held waits at most for something to leave with. */
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

  /** Sends the item together with what is put in next, before it; by itself where nothing comes in time. */
  hold(item: T): void {
    this.#items.push(item);
    this.#timer ??= setTimeout(() => this.flush(), this.#holdMs);
  }

  /** Sends at once what is kept. */
  flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#leaving = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const item of items) this.#send(item);
  }
}
