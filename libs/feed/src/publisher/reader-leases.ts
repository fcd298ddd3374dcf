import type { MonotonicClock } from '../clock.js';
import type { FeedPlace, ReaderClaim } from './feed-store.js';

/** Silence after which a reader's row is dropped, in milliseconds. */
const FORGET_AFTER_MS = 60_000;

interface Lease {
  readonly claim: ReaderClaim;
  /** When this process first saw this claim. */
  readonly seenAt: number;
}

/**
 * Which readers are alive and what they have applied, by this process's own clock. A reader is alive until its row has not
 * changed for longer than its staleness bound.
 */
export class ReaderLeases {
  readonly #leases = new Map<string, Lease>();
  /** When the query for the newest rows was sent. */
  #readAt = Number.NEGATIVE_INFINITY;

  readonly #clock: MonotonicClock;
  readonly #aliveMs: number;

  constructor(clock: MonotonicClock, aliveMs: number) {
    this.#clock = clock;
    this.#aliveMs = aliveMs;
  }

  /**
   * Records all rows.
   * @param askedAt when the query that read them was sent.
   */
  observe(claims: readonly ReaderClaim[], askedAt: number): void {
    const now = this.#clock.now();
    const present = new Set(claims.map(({ reader }) => reader));
    for (const reader of this.#leases.keys()) if (!present.has(reader)) this.#leases.delete(reader);
    for (const claim of claims) {
      const known = this.#leases.get(claim.reader);
      if (known?.claim.asks === claim.asks) continue;
      this.#leases.set(claim.reader, { claim, seenAt: now });
    }
    this.#readAt = Math.max(this.#readAt, askedAt);
  }

  /** The live readers that have not confirmed this place. */
  waitingFor(place: FeedPlace): string[] {
    const waiting = [...this.#leases.values()].filter(
      ({ claim, seenAt }) => this.#readAt - seenAt <= this.#aliveMs && !(claim.epoch === place.epoch && claim.seq >= place.seq),
    );
    return waiting.map(({ claim }) => claim.reader);
  }

  /** Rows of readers to delete. */
  gone(): ReaderClaim[] {
    return [...this.#leases.values()].filter(({ seenAt }) => this.#readAt - seenAt > FORGET_AFTER_MS).map(({ claim }) => claim);
  }
}
