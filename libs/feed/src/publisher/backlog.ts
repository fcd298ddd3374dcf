import type { MonotonicClock } from '../clock.js';
import { BACKLOG_MS } from '../limits.js';

/** A look later than this after the previous one cannot tell how long a change has waited, in milliseconds. */
const BLIND_MS = 2 * BACKLOG_MS;

/**
 * Tells whether committed changes have waited too long for their sequence, by this process's own
 * clock: the ticket that is oldest at every look is the one that nobody takes.
 */
export class Backlog {
  #oldest: string | null = null;
  #seenAt = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: MonotonicClock) {}

  /**
   * @param oldestWaiting what the database just showed as the oldest change without a sequence.
   * @returns true when it may have waited for more than 250 ms.
   */
  look(oldestWaiting: string | null): boolean {
    const now = this.clock.now();
    const blind = now - this.#lookedAt > BLIND_MS;
    this.#lookedAt = now;
    if (oldestWaiting !== this.#oldest) {
      this.#oldest = oldestWaiting;
      // After a pause nobody can say since when it waits; the worst is assumed.
      this.#seenAt = blind ? Number.NEGATIVE_INFINITY : now;
    }
    return this.#oldest !== null && now - this.#seenAt > BACKLOG_MS;
  }
}
