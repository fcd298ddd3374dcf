/** Interval at which the lag of the event loop is measured, in milliseconds. */
const SAMPLE_MS = 20;
/** Lag above which writes are merged, in milliseconds. */
const LAGGING_MS = 20;

/** Measures the lag of the event loop. While it lags, events of one turn are merged into one write, since writes use most of the CPU. */
export class LoopPressure {
  #dirty = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #due = 0;
  #lagging = false;
  #scheduled = false;

  get lagging(): boolean {
    return this.#lagging;
  }

  /** Starts or stops the measurement; it runs only while there are streams. */
  watch(active: boolean): void {
    if (active === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#lagging = false;
    this.#due = performance.now() + SAMPLE_MS;
    this.#timer = active ? setInterval(() => this.#sample(), SAMPLE_MS).unref() : undefined;
  }

  /** Calls `flush` once at the end of this turn, however often it is scheduled. */
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
