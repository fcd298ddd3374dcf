import type { MonotonicClock } from '../clock.js';

/**
 * Whether a reader's records may be used.
 * `fresh`: every change committed more than `ageMs` ago is applied.
 * `absent`: not proven, and the NATS server says that the feed has no responders.
 * `cut_off`: not proven for an unknown reason; other readers may know newer changes.
 */
export type FreshnessState = 'fresh' | 'absent' | 'cut_off';

/** Freshness of a reader's records. */
export interface Freshness {
  readonly state: FreshnessState;
  /** Milliseconds since the last question whose answer proved the reader current; Infinity = never. */
  readonly ageMs: number;
}

/** Keeps the time of the last proof, and why there has been none since. */
export class FreshnessMeter {
  #provenAt = Number.NEGATIVE_INFINITY;
  #reason: 'absent' | 'cut_off' = 'cut_off';

  readonly #clock: MonotonicClock;
  readonly #staleAfterMs: number;

  constructor(clock: MonotonicClock, staleAfterMs: number) {
    this.#clock = clock;
    this.#staleAfterMs = staleAfterMs;
  }

  /** @param askedAt when the question was sent: later commits are not proven. */
  proven(askedAt: number): void {
    this.#provenAt = Math.max(this.#provenAt, askedAt);
    this.#reason = 'cut_off';
  }

  /** A question failed, or its answer proved nothing. */
  unproven(reason: 'absent' | 'cut_off'): void {
    this.#reason = reason;
  }

  read(): Freshness {
    const ageMs = this.#clock.now() - this.#provenAt;
    return { state: ageMs <= this.#staleAfterMs ? 'fresh' : this.#reason, ageMs };
  }
}
