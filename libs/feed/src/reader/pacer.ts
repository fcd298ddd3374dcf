import type { MonotonicClock } from '../clock.js';

/** Times a reader's questions: at a steady period, or earlier after `hurry`. */
export class Pacer {
  #dueAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  readonly #clock: MonotonicClock;
  readonly #gapMs: number;

  constructor(clock: MonotonicClock, gapMs: number) {
    this.#clock = clock;
    this.#gapMs = gapMs;
  }

  /** Notes that a question is sent now. The next one is due at most `afterMs` later. */
  begin(afterMs: number): void {
    this.#lastAt = this.#clock.now();
    this.#dueAt = this.#lastAt + afterMs;
  }

  /** Makes the next question due in `delayMs`, but at least `gapMs` after the last one. */
  hurry(delayMs = 0): void {
    this.#dueAt = Math.min(this.#dueAt, Math.max(this.#clock.now() + delayMs, this.#lastAt + this.#gapMs));
    if (this.#wake) this.#arm();
  }

  /** Resolves when the next question is due, or at once after `stop`. */
  async due(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#arm();
    });
    this.#wake = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.#wake?.();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake?.(), Math.max(0, this.#dueAt - this.#clock.now()));
  }
}
