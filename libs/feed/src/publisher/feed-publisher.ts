import { type FeedContract, isServiceError, ServiceError, subjectOf } from '@slipway/contracts';
import { type Logger, type NatsConnection, RpcResponder, watchConnection } from '@slipway/platform';
import type { z } from 'zod';
import { type MonotonicClock, processClock } from '../clock.js';
import { ALIVE_MARGIN_MS, BUSY_MS, REST_TICK_MS, STALE_AFTER_MS, STALL_MS, TICK_MS } from '../limits.js';
import { Backlog } from './backlog.js';
import type { ChangeTicket, FeedSource, FeedStore, RecordChange } from './feed-store.js';
import { QuestionDesk } from './question-desk.js';
import { ReaderLeases } from './reader-leases.js';
import { Relay } from './relay.js';

/** Pause between two looks for confirmations, in milliseconds. */
const CONFIRM_POLL_MS = 40;

/** What a `FeedPublisher` needs. */
export interface FeedPublisherOptions<R, Tx> {
  readonly contract: FeedContract<R>;
  readonly store: FeedStore<R, Tx>;
  readonly source: FeedSource<R>;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  /** The largest age up to which any reader trusts what it knows, in milliseconds. Default 3,000. */
  readonly staleAfterMs?: number;
  readonly clock?: MonotonicClock;
}

/** Whether every live reader knows a change; `waiting` names those that may not. */
export interface Propagation {
  readonly propagated: boolean;
  readonly waiting: readonly string[];
}

type Since = z.output<FeedContract['since']['request']>;
type Snapshot = z.output<FeedContract['snapshot']['request']>;

/**
 * The owner's side of a feed, in every replica of the owning service. The replica that is elected
 * gives committed changes their sequences and broadcasts them; all of them tick and answer readers.
 * A replica whose database does not answer leaves the queue of questions: when none is left, readers
 * learn from the NATS server that the feed is absent.
 */
export class FeedPublisher<R, Tx> {
  readonly #options: FeedPublisherOptions<R, Tx>;
  readonly #clock: MonotonicClock;
  readonly #relay: Relay<R>;
  readonly #desk: QuestionDesk<R>;
  readonly #backlog: Backlog;
  readonly #leases: ReaderLeases;
  readonly #aliveMs: number;
  #responders: RpcResponder[] = [];
  #listeningSince = Number.POSITIVE_INFINITY;
  /** Ticks are frequent until then. */
  #busyUntil = Number.NEGATIVE_INFINITY;
  /** When the next look is due. */
  #dueAt = Number.POSITIVE_INFINITY;
  #looking = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FeedPublisherOptions<R, Tx>) {
    this.#options = options;
    this.#clock = options.clock ?? processClock;
    this.#aliveMs = (options.staleAfterMs ?? STALE_AFTER_MS) + ALIVE_MARGIN_MS;
    this.#leases = new ReaderLeases(this.#clock, this.#aliveMs);
    this.#backlog = new Backlog(this.#clock);
    this.#relay = new Relay(options);
    this.#desk = new QuestionDesk(options.store, options.source, this.#backlog);
  }

  /** Stands for election, ticks and answers, as soon as the database does. */
  start(): void {
    const { store, nats } = this.#options;
    store.open({
      elected: () => this.#relay.elect(true),
      deposed: () => this.#relay.elect(false),
      committed: () => {
        this.#relay.wake();
        this.#stir();
      },
      interrupted: () => this.#listenAnew(),
    });
    watchConnection(nats, { disconnected: () => this.#listenAnew(), reconnected: () => this.#listenAnew() });
    void this.#look();
  }

  /** Leaves the queue, answers what was asked, and gives up the election. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#relay.elect(false);
    await this.#serve(false);
    await this.#options.store.close();
  }

  /** True while this replica answers readers: its database answered at the last look. */
  get serving(): boolean {
    return this.#responders.length > 0;
  }

  /** Writes a change into the caller's transaction; readers hear of it once that commits. */
  record(tx: Tx, change: RecordChange<R>): Promise<ChangeTicket> {
    return this.#options.store.record(tx, change);
  }

  /**
   * Waits until every live reader has confirmed that it applied a committed change. Live is who asked
   * within the staleness bound and a second; a replica that listens for a shorter time cannot know
   * all of them and answers false.
   * @param timeoutMs how long to wait at most; false after it.
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

  /** Looks at the database: a good look sends a tick, a bad one takes this replica out of the queue. */
  async #look(): Promise<void> {
    if (this.#looking || this.#stopped) return;
    this.#looking = true;
    clearTimeout(this.#timer);
    const askedAt = this.#clock.now();
    // The process stood still, and who asked meanwhile is not known.
    if (askedAt - this.#dueAt > STALL_MS) this.#listenAnew();
    try {
      const head = await this.#options.store.head();
      this.#leases.observe(await this.#options.store.readers(), askedAt);
      if (this.#stopped) return;
      await this.#serve(true);
      if (head !== null) {
        this.#backlog.look(head.oldestWaiting);
        this.#tick(head);
        this.#relay.check(head);
      }
      await this.#forget();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#looking = false;
      this.#schedule();
    }
  }

  /** Something happens: the next looks and ticks follow each other closely, so that a lost broadcast is noticed soon. */
  #stir(): void {
    const now = this.#clock.now();
    this.#busyUntil = now + BUSY_MS;
    if (!this.#looking && this.#dueAt - now > TICK_MS) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const now = this.#clock.now();
    const pause = now < this.#busyUntil ? TICK_MS : REST_TICK_MS;
    this.#dueAt = now + pause;
    this.#timer = setTimeout(() => void this.#look(), pause);
  }

  #tick({ epoch, seq }: { epoch: string; seq: number }): void {
    const { nats, contract, env } = this.#options;
    nats.publish(subjectOf(contract.tick, { env }), JSON.stringify({ epoch, seq }));
  }

  async #forget(): Promise<void> {
    const gone = this.#leases.gone();
    if (gone.length > 0) await this.#options.store.forget(gone);
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#stir();
    if (this.#responders.length > 0) this.#options.log.warn({ feed: this.#options.contract.name, err: error }, 'feed.database_lost');
    // Not awaited: calls that hang on the database must not keep the next look from happening.
    void this.#serve(false);
  }

  async #serve(serve: boolean): Promise<void> {
    if (serve === this.#responders.length > 0) return;
    const { contract } = this.#options;
    const leaving = this.#responders;
    this.#responders = serve
      ? [
          new RpcResponder(this.#options, contract.since, (request) => this.#answer(() => this.#desk.since(request as Since))),
          new RpcResponder(this.#options, contract.snapshot, (request) => this.#answer(() => this.#desk.snapshot(request as Snapshot))),
        ]
      : [];
    this.#listenAnew();
    await Promise.all(leaving.map((responder) => responder.close()));
  }

  async #answer<T>(answer: () => Promise<T>): Promise<T> {
    try {
      return await answer();
    } catch (error) {
      if (isServiceError(error)) throw error;
      // Whether this replica still serves is decided now, not at the next tick.
      void this.#look();
      throw new ServiceError('unavailable', 'The feed cannot be read at this moment; ask again soon.', { retryAfterS: 1, cause: error });
    }
  }

  #listenAnew(): void {
    this.#listeningSince = this.#responders.length > 0 ? this.#clock.now() : Number.POSITIVE_INFINITY;
  }
}
