import { eachSecond } from '@slipway/platform';
import type { MonotonicClock } from '../clock.js';

/**
 * Times a reader's questions: once a second, in the same turn as the process's other work of that second, or earlier after
 * `hurry`. A second that comes while a question runs makes the next one due at once.
 */
export class Pacer {
  #dueAt = Number.NEGATIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  readonly #endSeconds: () => void;

  readonly #clock: MonotonicClock;
  readonly #gapMs: number;

  constructor(clock: MonotonicClock, gapMs: number) {
    this.#clock = clock;
    this.#gapMs = gapMs;
    this.#endSeconds = eachSecond(() => this.#second());
  }

  /** Notes that a question is sent now. The next one is due in the next second. */
  begin(): void {
    this.#lastAt = this.#clock.now();
    this.#dueAt = Number.POSITIVE_INFINITY;
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
    this.#endSeconds();
    clearTimeout(this.#timer);
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.#wake?.();
  }

  #second(): void {
    // A question that was sent just now, because of a change, counts for this second.
    if (this.#clock.now() - this.#lastAt < this.#gapMs) return;
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.#wake?.();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#dueAt === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#wake?.(), Math.max(0, this.#dueAt - this.#clock.now()));
  }
}
