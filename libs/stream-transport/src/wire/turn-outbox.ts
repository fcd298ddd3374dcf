/**
 * Keeps what is put in during one turn of the event loop and sends it at the end of that turn, in order: the client writes
 * to its socket once for everything that is published together, and a write costs more than a frame.
 */
export class TurnOutbox<T> {
  private items: T[] = [];
  private leaving = false;
  private timer: NodeJS.Timeout | undefined;

  /** @param holdMs time that what is held waits at most for something to leave with. */
  constructor(
    private readonly send: (item: T) => void,
    private readonly holdMs: number,
  ) {}

  put(item: T): void {
    this.items.push(item);
    if (this.leaving) return;
    this.leaving = true;
    setImmediate(() => this.flush());
  }

  /** Sends the item together with what is put in next, before it; by itself where nothing comes in time. */
  hold(item: T): void {
    this.items.push(item);
    this.timer ??= setTimeout(() => this.flush(), this.holdMs);
  }

  /** Sends at once what is kept. */
  flush(): void {
    const items = this.items;
    this.items = [];
    this.leaving = false;
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const item of items) this.send(item);
  }
}
