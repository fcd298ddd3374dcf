/** Pause between two ticks at rest, in milliseconds: short enough for heartbeats each second. */
const REST_MS = 250;
/** What was said last may have to be said again: ticks stay frequent for so long after the last work, in milliseconds. */
const LINGER_MS = 5_000;

export interface TickerOptions {
  /** Pause between two ticks while there is work, in milliseconds. */
  readonly tickMs: number;
  readonly tick: () => void;
  readonly isBusy: () => boolean;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
}

/** Ticks often while there is work and seldom at rest: each tick wakes the process. */
export class Ticker {
  #timer: NodeJS.Timeout | undefined;
  #frequentUntil = Number.NEGATIVE_INFINITY;
  #resting = false;
  #stopped = false;

  constructor(private readonly options: TickerOptions) {}

  start(): void {
    this.#schedule();
  }

  /** Work has come: the next tick follows soon. */
  wake(): void {
    this.#frequentUntil = this.options.clock() + LINGER_MS;
    if (this.#resting) this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const { tickMs, clock } = this.options;
    this.#resting = clock() >= this.#frequentUntil;
    this.#timer = setTimeout(() => this.#turn(), this.#resting ? Math.max(tickMs, REST_MS) : tickMs);
  }

  #turn(): void {
    try {
      this.options.tick();
    } finally {
      if (this.options.isBusy()) this.#frequentUntil = this.options.clock() + LINGER_MS;
      this.#schedule();
    }
  }
}
