/**
 * Keeps what is put in during one turn of the event loop and sends it at the end of that turn, in order: the client writes
 * to its socket once for everything that is published together, and a write costs more than a frame.
 */
export class TurnOutbox<T> {
  private items: T[] = [];

  constructor(private readonly send: (item: T) => void) {}

  put(item: T): void {
    this.items.push(item);
    if (this.items.length === 1) setImmediate(() => this.flush());
  }

  /** Sends at once what is kept. */
  flush(): void {
    const items = this.items;
    this.items = [];
    for (const item of items) this.send(item);
  }
}
