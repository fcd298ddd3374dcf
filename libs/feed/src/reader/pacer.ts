import type { MonotonicClock } from '../clock.js';

/** Says when the next question is due: at a steady pace, or soon when somebody hurries it. */
export class Pacer {
  #dueAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  constructor(
    private readonly clock: MonotonicClock,
    private readonly gapMs: number,
  ) {}

  /** A question is sent now; the next is due `afterMs` later at the latest. */
  begin(afterMs: number): void {
    this.#lastAt = this.clock.now();
    this.#dueAt = this.#lastAt + afterMs;
  }

  /** The next question is due in `delayMs`, but not before the least gap after the last one. */
  hurry(delayMs = 0): void {
    this.#dueAt = Math.min(this.#dueAt, Math.max(this.clock.now() + delayMs, this.#lastAt + this.gapMs));
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
    this.#timer = setTimeout(() => this.#wake?.(), Math.max(0, this.#dueAt - this.clock.now()));
  }
}
