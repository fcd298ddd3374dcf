/** A new connection is used once so many statements wait for each that is used. */
const WAITING_EACH = 8;
/** A statement that has run for so long may hang, so further ones do not wait for it; in milliseconds. */
const SLOW_MS = 100;

/**
 * Runs the statements of a process's feeds on one connection while they are few. The processes of a machine ask in the same
 * moment, and each connection that this occupied would cost a backend of PostgreSQL.
 */
export class FeedReads {
  #running = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  /** Runs `statement` in its turn. */
  async run<T>(statement: () => Promise<T>): Promise<T> {
    if (this.#isCrowded()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    this.#startedAt = performance.now();
    try {
      return await statement();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #isCrowded(): boolean {
    return this.#running > 0 && this.#waiting.length < WAITING_EACH * this.#running && performance.now() - this.#startedAt < SLOW_MS;
  }
}
