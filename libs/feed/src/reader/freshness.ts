import type { MonotonicClock } from '../clock.js';

/**
 * How far a reader may be trusted.
 * `fresh`: it knows every change committed more than `ageMs` ago.
 * `absent`: it does not, and its own server says that nobody serves the feed.
 * `cut_off`: it does not, and why is unknown; a change may have been made that everyone else knows.
 */
export type FreshnessState = 'fresh' | 'absent' | 'cut_off';

/** How far a reader's records can be trusted at this moment. */
export interface Freshness {
  readonly state: FreshnessState;
  /** Milliseconds since the last question that proved everything known; Infinity = never yet. */
  readonly ageMs: number;
}

/** Keeps the one proof that counts, a round trip, and why there was none since. */
export class FreshnessMeter {
  #provenAt = Number.NEGATIVE_INFINITY;
  #silence: 'absent' | 'cut_off' = 'cut_off';

  constructor(
    private readonly clock: MonotonicClock,
    private readonly staleAfterMs: number,
  ) {}

  /** @param askedAt when the question was sent: what was committed later is not proven. */
  proven(askedAt: number): void {
    this.#provenAt = Math.max(this.#provenAt, askedAt);
    this.#silence = 'cut_off';
  }

  /** A question failed, or its answer proved nothing. */
  unproven(silence: 'absent' | 'cut_off'): void {
    this.#silence = silence;
  }

  read(): Freshness {
    const ageMs = this.clock.now() - this.#provenAt;
    return { state: ageMs <= this.staleAfterMs ? 'fresh' : this.#silence, ageMs };
  }
}
