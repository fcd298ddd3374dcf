import { type FeedContract, subjectOf } from '@slipway/contracts';
import type { Logger, NatsConnection } from '@slipway/platform';
import { PAGE_CHANGES } from '../limits.js';
import type { FeedHead, FeedPlace, FeedStore } from './feed-store.js';

export interface RelayOptions<R> {
  readonly contract: FeedContract<R>;
  readonly store: FeedStore<R, never>;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
}

/** Gives committed changes their sequences and broadcasts them, while this replica is the elected one. */
export class Relay<R> {
  readonly #subject: string;
  #elected = false;
  #running = false;
  #again = false;
  /** Where this relay left the head; null before its first round. */
  #place: FeedPlace | null = null;

  constructor(private readonly options: RelayOptions<R>) {
    this.#subject = subjectOf(options.contract.change, { env: options.env });
  }

  elect(elected: boolean): void {
    this.#elected = elected;
    this.#place = null;
    if (elected) this.wake();
  }

  /** Something may wait: relays it now, or right after the round that runs. */
  wake(): void {
    this.#again = true;
    if (!this.#running) void this.#run();
  }

  /** Wakes the relay where the database shows work for it: changes wait, or the head stands where this relay did not leave it. */
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
      // The next tick wakes the relay again; what waits is safe in the outbox.
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
    this.#place = { epoch: batch.epoch, seq: batch.seq };
    for (const change of batch.changes) nats.publish(this.#subject, JSON.stringify({ epoch: batch.epoch, ...change }));
    if (batch.changes.length === PAGE_CHANGES) this.#again = true;
  }
}
