import { eachSecond } from './each-second.js';

/** Ticks stay frequent for so long after the last work, in milliseconds: what was sent last may have to be repeated. */
const LINGER_MS = 5_000;
/** Longest time between two ticks at rest, unless the process stalls; in milliseconds. */
const REST_MS = 1_100;

export interface TickerOptions {
  /** Pause between two ticks while there is work, in milliseconds. */
  readonly tickMs: number;
  /** @param lateMs how much later than due the tick comes, in milliseconds: a stall of the process */
  readonly tick: (lateMs: number) => void;
  readonly isBusy: () => boolean;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
}

/** Ticks often while there is work, and at rest once a second, with the process's other work of that second. */
export class Ticker {
  #timer: NodeJS.Timeout | undefined;
  #endSeconds: (() => void) | undefined;
  #frequentUntil = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #resting = false;

  constructor(private readonly options: TickerOptions) {}

  start(): void {
    this.#endSeconds = eachSecond(() => {
      if (this.#resting) this.#turn();
    });
    this.#schedule();
  }

  /** Work has come: the next tick follows soon. */
  wake(): void {
    this.#frequentUntil = this.options.clock() + LINGER_MS;
    if (this.#resting) this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#endSeconds?.();
    this.#endSeconds = undefined;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#endSeconds === undefined) return;
    const { tickMs, clock } = this.options;
    const now = clock();
    this.#resting = now >= this.#frequentUntil;
    this.#dueAt = now + (this.#resting ? REST_MS : tickMs);
    if (!this.#resting) this.#timer = setTimeout(() => this.#turn(), tickMs);
  }

  #turn(): void {
    const { tick, isBusy, clock } = this.options;
    try {
      tick(Math.max(0, clock() - this.#dueAt));
    } finally {
      if (isBusy()) this.#frequentUntil = clock() + LINGER_MS;
      this.#schedule();
    }
  }
}
