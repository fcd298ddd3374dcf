/** How often the loop's lateness is looked at while streams run, in milliseconds. */
const SAMPLE_MS = 20;
/** Lateness from which on writes are gathered, in milliseconds. */
const LAGGING_MS = 20;

/**
 * Watches whether the event loop is behind. Then everything that arrives for one client within a turn goes out in one
 * write: writes are what a gateway spends its time on.
 */
export class LoopPressure {
  #dirty = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #lagging = false;
  #scheduled = false;

  get lagging(): boolean {
    return this.#lagging;
  }

  /** Starts or stops watching; without streams there is nothing to watch for. */
  watch(active: boolean): void {
    if (active === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#lagging = false;
    this.#due = performance.now() + SAMPLE_MS;
    this.#timer = active ? setInterval(() => this.#sample(), SAMPLE_MS).unref() : undefined;
  }

  /** Calls `flush` at the end of this turn, once, however often it is asked for. */
  atTurnEnd(flush: () => void): void {
    this.#dirty.add(flush);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flushAll());
  }

  #sample(): void {
    const now = performance.now();
    this.#lagging = now - this.#due > LAGGING_MS;
    this.#due = now + SAMPLE_MS;
  }

  #flushAll(): void {
    this.#scheduled = false;
    const flushes = this.#dirty;
    this.#dirty = new Set();
    for (const flush of flushes) flush();
  }
}
