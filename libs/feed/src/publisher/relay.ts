import { type FeedContract, subjectOf } from '@slipway/contracts';
import type { Logger, NatsConnection } from '@slipway/platform';
import type { MonotonicClock } from '../clock.js';
import { BACKLOG_MS, PAGE_CHANGES } from '../limits.js';
import type { FeedHead, FeedPlace, FeedStore } from './feed-store.js';

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

/** What a `Relay` needs. */
export interface RelayOptions<R> {
  readonly contract: FeedContract<R>;
  readonly store: FeedStore<R, never>;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  /** Called with each epoch that this replica begins. */
  readonly epochBegan?: () => void;
}

/** Assigns sequences to committed changes and broadcasts them while this replica is elected. */
export class Relay<R> {
  readonly #subject: string;
  #elected = false;
  #running = false;
  #again = false;
  /** The newest place that this relay assigned; null before its first round. */
  #place: FeedPlace | null = null;

  constructor(private readonly options: RelayOptions<R>) {
    this.#subject = subjectOf(options.contract.change, { env: options.env });
  }

  elect(elected: boolean): void {
    this.#elected = elected;
    this.#place = null;
    if (elected) this.wake();
  }

  /** Relays waiting changes now, or right after the running round. */
  wake(): void {
    this.#again = true;
    if (!this.#running) void this.#run();
  }

  /** Wakes the relay when changes wait or when the head is not the place that this relay assigned last. */
  check(head: FeedHead): void {
    const isOwn = this.#place?.epoch === head.epoch && this.#place.seq === head.seq;
    if (head.oldestWaiting !== null || !isOwn) this.wake();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#again && this.#elected) {
        this.#again = false;
        await this.#relay();
      }
    } catch (error) {
      // The next tick wakes the relay again; waiting changes stay in the outbox.
      this.options.log.warn({ feed: this.options.contract.name, err: error }, 'feed.relay_failed');
    } finally {
      this.#running = false;
    }
  }

  async #relay(): Promise<void> {
    const { store, nats } = this.options;
    const batch = await store.sequence(PAGE_CHANGES);
    if (batch === null) {
      this.#elected = false;
      return;
    }
    if (batch.epoch !== this.#place?.epoch) this.options.epochBegan?.();
    this.#place = { epoch: batch.epoch, seq: batch.seq };
    for (const change of batch.changes) nats.publish(this.#subject, JSON.stringify({ epoch: batch.epoch, ...change }));
    if (batch.changes.length === PAGE_CHANGES) this.#again = true;
  }
}
