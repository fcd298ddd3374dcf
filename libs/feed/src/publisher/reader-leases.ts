import type { MonotonicClock } from '../clock.js';
import type { FeedPlace, ReaderClaim } from './feed-store.js';

/** Silence after which a reader's row is dropped, in milliseconds. */
const FORGET_AFTER_MS = 60_000;

interface Lease {
  readonly claim: ReaderClaim;
  /** When this process first saw this question; never before it was asked. */
  readonly seenAt: number;
}

/**
 * Which readers are alive and what they claim, judged by this process's own clock alone: a reader is
 * alive until its row stood still for longer than the reader itself may trust what it knows.
 */
export class ReaderLeases {
  readonly #leases = new Map<string, Lease>();
  /** When the newest rows were asked for: they may have changed since, but not before. */
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: MonotonicClock,
    private readonly aliveMs: number,
  ) {}

  /**
   * Takes in all rows.
   * @param askedAt when the query that read them was sent.
   */
  observe(claims: readonly ReaderClaim[], askedAt: number): void {
    const now = this.clock.now();
    const present = new Set(claims.map(({ reader }) => reader));
    for (const reader of this.#leases.keys()) if (!present.has(reader)) this.#leases.delete(reader);
    for (const claim of claims) {
      const known = this.#leases.get(claim.reader);
      if (known?.claim.asks === claim.asks) continue;
      this.#leases.set(claim.reader, { claim, seenAt: now });
    }
    this.#readAt = Math.max(this.#readAt, askedAt);
  }

  /** The live readers that have not asked from this place or past it: those who may not know the change. */
  waitingFor(place: FeedPlace): string[] {
    const waiting = [...this.#leases.values()].filter(
      ({ claim, seenAt }) => this.#readAt - seenAt <= this.aliveMs && !(claim.epoch === place.epoch && claim.seq >= place.seq),
    );
    return waiting.map(({ claim }) => claim.reader);
  }

  /** Rows of readers that are gone for good. */
  gone(): ReaderClaim[] {
    return [...this.#leases.values()].filter(({ seenAt }) => this.#readAt - seenAt > FORGET_AFTER_MS).map(({ claim }) => claim);
  }
}
