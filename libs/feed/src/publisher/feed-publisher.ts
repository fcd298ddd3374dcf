import { type FeedContract, isServiceError, ServiceError, subjectOf } from '@slipway/contracts';
import { type Logger, type NatsConnection, RpcResponder, watchConnection } from '@slipway/platform';
import type { z } from 'zod';
import { type MonotonicClock, processClock } from '../clock.js';
import { ALIVE_MARGIN_MS, BUSY_MS, REST_TICK_MS, STALE_AFTER_MS, STALL_MS, TICK_MS } from '../limits.js';
import { FeedHandlers, ReaderLeases } from './feed-handlers.js';
import type { ChangeTicket, FeedLook, FeedPlace, FeedSource, FeedStore, RecordChange } from './feed-store.js';
import { Backlog, Relay } from './relay.js';

/** Pause between two checks for confirmations, in milliseconds. */
const CONFIRM_POLL_MS = 40;

/** What a `FeedPublisher` needs. */
export interface FeedPublisherOptions<R, Tx> {
  readonly contract: FeedContract<R>;
  readonly store: FeedStore<R, Tx>;
  readonly source: FeedSource<R>;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  /** The largest staleness bound of any reader, in milliseconds. Default 3,000. */
  readonly staleAfterMs?: number;
  readonly clock?: MonotonicClock;
  /** Called with each epoch that this replica begins: readers take a snapshot then. */
  readonly epochBegan?: () => void;
}

/** Whether every live reader has applied a change; `waiting` names the readers that may not have. */
export interface Propagation {
  readonly propagated: boolean;
  readonly waiting: readonly string[];
}

type Since = z.output<FeedContract['since']['request']>;
type Snapshot = z.output<FeedContract['snapshot']['request']>;

/**
 * Publishes a feed. Runs in every replica of the owning service. The elected replica gives committed changes their
 * sequences and broadcasts them; all replicas send ticks and answer readers. A replica whose database does not answer
 * unsubscribes. When none is left, the NATS server reports to readers that there are no responders.
 */
export class FeedPublisher<R, Tx> {
  readonly #options: FeedPublisherOptions<R, Tx>;
  readonly #clock: MonotonicClock;
  readonly #relay: Relay<R>;
  readonly #handlers: FeedHandlers<R>;
  readonly #backlog: Backlog;
  readonly #leases: ReaderLeases;
  readonly #aliveMs: number;
  #responders: RpcResponder[] = [];
  #listeningSince = Number.POSITIVE_INFINITY;
  /** Until then the period is `TICK_MS`. */
  #busyUntil = Number.NEGATIVE_INFINITY;
  /** When the next check is due. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Between the last check and the next one, in milliseconds. */
  #period = TICK_MS;
  #checking = false;
  /** The head in the last tick. */
  #told: FeedPlace | null = null;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FeedPublisherOptions<R, Tx>) {
    this.#options = options;
    this.#clock = options.clock ?? processClock;
    this.#aliveMs = (options.staleAfterMs ?? STALE_AFTER_MS) + ALIVE_MARGIN_MS;
    this.#leases = new ReaderLeases(this.#clock, this.#aliveMs);
    this.#backlog = new Backlog(this.#clock);
    this.#relay = new Relay(options);
    const looks = { isDue: () => this.#isLookDue(), looked: (look: FeedLook, askedAt: number) => this.#lookedByAnswer(look, askedAt) };
    this.#handlers = new FeedHandlers(options, { backlog: this.#backlog, clock: this.#clock, looks });
  }

  /** Takes part in the election. Sends ticks and answers readers once the database answers. */
  start(): void {
    const { store, nats } = this.#options;
    store.open({
      elected: () => this.#relay.elect(true),
      deposed: () => this.#relay.elect(false),
      committed: () => {
        this.#relay.wake();
        this.#speedUp();
      },
      interrupted: () => this.#restartListening(),
    });
    watchConnection(nats, { disconnected: () => this.#restartListening(), reconnected: () => this.#restartListening() });
    void this.#check();
  }

  /** Unsubscribes, finishes running requests, and leaves the election. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#relay.elect(false);
    await this.#serve(false);
    await this.#options.store.close();
  }

  /** True while this replica answers readers: its database answered at the last check. */
  get serving(): boolean {
    return this.#responders.length > 0;
  }

  /** Writes a change into the caller's transaction. Readers get it after the commit. */
  record(tx: Tx, change: RecordChange<R>): Promise<ChangeTicket> {
    return this.#options.store.record(tx, change);
  }

  /**
   * Waits until every live reader has confirmed a committed change. A reader is live if it asked within the staleness bound
   * plus one second. A replica that has listened for less than that does not know all readers and answers false.
   * @param timeoutMs longest wait in milliseconds; then the answer is false.
   */
  async propagation(ticket: ChangeTicket, timeoutMs = 1_000): Promise<Propagation> {
    const end = this.#clock.now() + timeoutMs;
    this.#relay.wake();
    for (;;) {
      const seen = await this.#confirmation(ticket);
      if (seen.propagated || this.#stopped || this.#clock.now() + CONFIRM_POLL_MS > end) return seen;
      await new Promise((resolve) => {
        setTimeout(resolve, CONFIRM_POLL_MS);
      });
    }
  }

  async #confirmation(ticket: ChangeTicket): Promise<Propagation> {
    try {
      const place = await this.#options.store.placeOf(ticket);
      const waiting = place === null ? [] : await this.#waitingFor(place);
      const listened = this.#clock.now() - this.#listeningSince > this.#aliveMs;
      return { propagated: place !== null && waiting.length === 0 && listened, waiting };
    } catch (error) {
      this.#options.log.warn({ feed: this.#options.contract.name, err: error }, 'feed.confirmation_unknown');
      return { propagated: false, waiting: [] };
    }
  }

  async #waitingFor(place: { epoch: string; seq: number }): Promise<string[]> {
    const askedAt = this.#clock.now();
    this.#leases.observe(await this.#options.store.readers(), askedAt);
    return this.#leases.waitingFor(place);
  }

  /** Reads the database: success sends a tick, failure unsubscribes this replica. */
  async #check(): Promise<void> {
    if (this.#checking || this.#stopped) return;
    this.#checking = true;
    clearTimeout(this.#timer);
    const askedAt = this.#clock.now();
    // The process was suspended, so it may have missed readers.
    if (askedAt - this.#dueAt > STALL_MS) this.#restartListening();
    try {
      const look = await this.#options.store.look();
      if (this.#stopped) return;
      await this.#serve(true);
      if (look.head !== null) this.#backlog.look(look.head.oldestWaiting);
      this.#looked(look, askedAt);
      await this.#forget();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#checking = false;
      this.#schedule();
    }
  }

  #looked({ head, readers }: FeedLook, askedAt: number): void {
    this.#leases.observe(readers, askedAt);
    if (head === null) return;
    this.#tick(head);
    this.#relay.check(head);
  }

  /** In the last quarter of a period the next question of a reader is a look as well, so that at rest each reads once a second. */
  #isLookDue(): boolean {
    const now = this.#clock.now();
    // A process that was suspended has to notice that first.
    return !this.#checking && !this.#stopped && now > this.#dueAt - this.#period / 4 && now - this.#dueAt <= STALL_MS;
  }

  #lookedByAnswer(look: FeedLook, askedAt: number): void {
    if (this.#checking || !this.serving) return;
    this.#looked(look, askedAt);
    this.#schedule();
  }

  /** Shortens the period after a change or a failure, so that readers notice a lost broadcast soon. */
  #speedUp(): void {
    const now = this.#clock.now();
    this.#busyUntil = now + BUSY_MS;
    if (!this.#checking && this.#dueAt - now > TICK_MS) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const now = this.#clock.now();
    this.#period = now < this.#busyUntil ? TICK_MS : REST_TICK_MS;
    this.#dueAt = now + this.#period;
    this.#timer = setTimeout(() => void this.#check(), this.#period);
  }

  /** At rest a head that was told is not told again: the questions of readers, once a second, find what they missed. */
  #tick({ epoch, seq }: FeedPlace): void {
    const isTold = this.#told?.epoch === epoch && this.#told.seq === seq;
    if (isTold && this.#clock.now() >= this.#busyUntil) return;
    this.#told = { epoch, seq };
    const { nats, contract, env } = this.#options;
    nats.publish(subjectOf(contract.tick, { env }), JSON.stringify({ epoch, seq }));
  }

  async #forget(): Promise<void> {
    const gone = this.#leases.gone();
    if (gone.length > 0) await this.#options.store.forget(gone);
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#speedUp();
    if (this.#responders.length > 0) this.#options.log.warn({ feed: this.#options.contract.name, err: error }, 'feed.database_lost');
    // Not awaited: requests that hang on the database must not delay the next check.
    void this.#serve(false);
  }

  async #serve(serve: boolean): Promise<void> {
    if (serve === this.#responders.length > 0) return;
    const { contract } = this.#options;
    const leaving = this.#responders;
    this.#responders = serve
      ? [
          new RpcResponder(this.#options, contract.since, (request) => this.#answer(() => this.#handlers.since(request as Since))),
          new RpcResponder(this.#options, contract.snapshot, (request) => this.#answer(() => this.#handlers.snapshot(request as Snapshot))),
        ]
      : [];
    this.#restartListening();
    await Promise.all(leaving.map((responder) => responder.close()));
  }

  async #answer<T>(answer: () => Promise<T>): Promise<T> {
    try {
      return await answer();
    } catch (error) {
      if (isServiceError(error)) throw error;
      // Decides now, not at the next tick, whether this replica still serves.
      void this.#check();
      throw new ServiceError('unavailable', 'The feed cannot be read right now; ask again soon.', { retryAfterS: 1, cause: error });
    }
  }

  #restartListening(): void {
    this.#listeningSince = this.#responders.length > 0 ? this.#clock.now() : Number.POSITIVE_INFINITY;
  }
}
