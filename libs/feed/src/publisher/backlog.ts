import type { MonotonicClock } from '../clock.js';
import { BACKLOG_MS } from '../limits.js';

/** Longest pause between two checks in which the age of a waiting change is known, in milliseconds. */
const BLIND_MS = 2 * BACKLOG_MS;

/**
 * Detects committed changes that wait too long for their sequence, by this process's own clock: the same ticket is the
 * oldest one at every check.
 */
export class Backlog {
  #oldest: string | null = null;
  #seenAt = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  readonly #clock: MonotonicClock;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /**
   * @param oldestWaiting the oldest change without a sequence, as just read from the database.
   * @returns true when it may have waited for more than 250 ms.
   */
  look(oldestWaiting: string | null): boolean {
    const now = this.#clock.now();
    const blind = now - this.#lookedAt > BLIND_MS;
    this.#lookedAt = now;
    if (oldestWaiting !== this.#oldest) {
      this.#oldest = oldestWaiting;
      // After a pause the start of the wait is unknown, so the worst is assumed.
      this.#seenAt = blind ? Number.NEGATIVE_INFINITY : now;
    }
    return this.#oldest !== null && now - this.#seenAt > BACKLOG_MS;
  }
}
