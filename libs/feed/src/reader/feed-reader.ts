import { type FeedContract, type Incarnation, subjectOf } from '@slipway/contracts';
import {
  eachSecond,
  type Logger,
  type Msg,
  type NatsConnection,
  RpcClient,
  type Subscription,
  UnansweredError,
  watchConnection,
} from '@slipway/platform';
import { type MonotonicClock, processClock } from '../clock.js';
import { ASK_GAP_MS, RETRY_MAX_MS, STALE_AFTER_MS } from '../limits.js';
import type { FeedPlace } from '../publisher/feed-store.js';
import { FeedPosition, type Freshness, FreshnessMeter } from './feed-position.js';
import type { FeedSink } from './feed-sink.js';
import { hedged, readSnapshot } from './snapshot-loader.js';

/**
 * Times a reader's questions: once a second, in the same turn as the process's other work of that second, or earlier after
 * `hurry`. A second that comes while a question runs makes the next one due at once.
 */
class Pacer {
  #dueAt = Number.NEGATIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  readonly #endSeconds: () => void;

  readonly #clock: MonotonicClock;
  readonly #gapMs: number;

  constructor(clock: MonotonicClock, gapMs: number) {
    this.#clock = clock;
    this.#gapMs = gapMs;
    this.#endSeconds = eachSecond(() => this.#second());
  }

  /** Notes that a question is sent now. The next one is due in the next second. */
  begin(): void {
    this.#lastAt = this.#clock.now();
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** Makes the next question due in `delayMs`, but at least `gapMs` after the last one. */
  hurry(delayMs = 0): void {
    this.#dueAt = Math.min(this.#dueAt, Math.max(this.#clock.now() + delayMs, this.#lastAt + this.#gapMs));
    if (this.#wake) this.#arm();
  }

  /** Resolves when the next question is due, or at once after `stop`. */
  async due(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#arm();
    });
    this.#wake = undefined;
  }

  stop(): void {
    this.#endSeconds();
    clearTimeout(this.#timer);
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.#wake?.();
  }

  #second(): void {
    // A question that was sent just now, because of a change, counts for this second.
    if (this.#clock.now() - this.#lastAt < this.#gapMs) return;
    this.#dueAt = Number.NEGATIVE_INFINITY;
    this.#wake?.();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#dueAt === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#wake?.(), Math.max(0, this.#dueAt - this.#clock.now()));
  }
}

/** Delay of the question that confirms applied changes, in milliseconds: one question confirms a burst. */
const CONFIRM_MS = 25;

/** What a `FeedReader` needs. */
export interface FeedReaderOptions<R> {
  readonly contract: FeedContract<R>;
  readonly nats: NatsConnection;
  readonly env: string;
  /** Incarnation of this process, under which the owner counts its confirmations. */
  readonly reader: Incarnation;
  readonly sink: FeedSink<R>;
  readonly log: Logger;
  /** Age beyond which records must not be used, in milliseconds. The owner must know it. Default 3,000. */
  readonly staleAfterMs?: number;
  readonly clock?: MonotonicClock;
}

/**
 * Follows a feed. Broadcast changes are applied as they arrive. Only a round trip (`since`, once a second and after every
 * sign of loss) proves that no change is missing; its age is `freshness()`. The reader starts with a snapshot and loads
 * another one whenever its place is lost.
 */
export class FeedReader<R> {
  readonly #options: FeedReaderOptions<R>;
  readonly #rpc: RpcClient;
  readonly #clock: MonotonicClock;
  readonly #position: FeedPosition<R>;
  readonly #meter: FreshnessMeter;
  readonly #pacer: Pacer;
  #subscriptions: Subscription[] = [];
  #failures = 0;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: FeedReaderOptions<R>) {
    this.#options = options;
    this.#clock = options.clock ?? processClock;
    this.#rpc = new RpcClient(options.nats, options.env);
    this.#position = new FeedPosition(options.sink);
    this.#meter = new FreshnessMeter(this.#clock, options.staleAfterMs ?? STALE_AFTER_MS);
    this.#pacer = new Pacer(this.#clock, ASK_GAP_MS);
  }

  /** Begins to follow; never fails. `freshness()` says when the records may be used. */
  start(): void {
    const { nats, contract, env } = this.#options;
    this.#subscriptions = [
      nats.subscribe(subjectOf(contract.change, { env }), { callback: (_, message) => this.#onChange(message) }),
      nats.subscribe(subjectOf(contract.tick, { env }), { callback: (_, message) => this.#onTick(message) }),
    ];
    // Broadcasts may have been lost.
    watchConnection(nats, { reconnected: () => this.#stopped || this.#pacer.hurry() });
    this.#running = this.#run();
  }

  /** Stops following. The sink keeps its records. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pacer.stop();
    this.#meter.stop();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    await this.#running;
  }

  /** Whether the sink's records may be used now. Cheap enough for every request. */
  freshness(): Freshness {
    return this.#meter.read();
  }

  /**
   * The next proof that no change is missing, where records became too old less than `withinMs` ago: a process that stood still is one
   * round trip behind. It is asked for at once.
   * @returns null where there is nothing to wait for; what is returned resolves when that time is over, too
   */
  nextProof(withinMs: number): Promise<void> | null {
    const proof = this.#meter.nextProof(withinMs);
    if (proof) this.#pacer.hurry();
    return proof;
  }

  /** The place up to which everything is applied; null before the first snapshot. */
  get place(): FeedPlace | null {
    return this.#position.place;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#pacer.begin();
      try {
        await this.#ask();
        this.#failures = 0;
      } catch (error) {
        this.#failed(error);
      }
      if (!this.#stopped) await this.#pacer.due();
    }
  }

  async #ask(): Promise<void> {
    if (this.#position.lost) await this.#load();
    const asked = this.#position.place;
    if (asked === null || this.#stopped) return;
    const { contract, reader } = this.#options;
    const askedAt = this.#clock.now();
    const answer = await hedged(() => this.#rpc.call(contract.since, { reader, epoch: asked.epoch, seq: asked.seq }));
    if (this.#stopped) return;
    const taken = this.#position.take(asked, answer);
    if (taken === 'current' && !answer.lagging) return this.#meter.proven(askedAt);
    // A lost place keeps the reason for missing freshness: the service answers again and sends a snapshot next.
    if (taken !== 'lost') this.#meter.unproven('cut_off');
    return this.#pacer.hurry();
  }

  async #load(): Promise<void> {
    const { contract, reader, log } = this.#options;
    const renewal = this.#position.renew();
    let place: FeedPlace | null = null;
    let count = 0;
    for await (const { label, records } of readSnapshot(this.#rpc, contract, reader)) {
      if (this.#stopped) return;
      for (const record of records) renewal.put(record);
      place = label;
      count += records.length;
    }
    if (place === null || this.#stopped) return;
    renewal.swap(place);
    log.info({ feed: contract.name, records: count, epoch: place.epoch, seq: place.seq }, 'feed.snapshot_loaded');
  }

  #failed(error: unknown): void {
    const { log, contract } = this.#options;
    const absent = error instanceof UnansweredError && error.reason === 'absent';
    this.#meter.unproven(absent ? 'absent' : 'cut_off');
    this.#failures += 1;
    if (this.#failures === 1) log.warn({ feed: contract.name, absent, err: error }, 'feed.question_failed');
    // A failed snapshot is retried without waiting for the whole period.
    if (this.#position.lost && !absent) this.#pacer.hurry(Math.min(100 * this.#failures, RETRY_MAX_MS) * (0.5 + Math.random()));
  }

  #onChange(message: Msg): void {
    const change = this.#options.contract.change.message.safeParse(parse(message));
    if (!change.success) return this.#pacer.hurry();
    try {
      const receipt = this.#position.receive(change.data);
      if (receipt === 'missing') this.#pacer.hurry();
      if (receipt === 'applied') this.#pacer.hurry(CONFIRM_MS);
    } catch (error) {
      this.#options.log.error({ feed: this.#options.contract.name, err: error }, 'feed.change_not_taken');
      this.#pacer.hurry();
    }
  }

  #onTick(message: Msg): void {
    const tick = this.#options.contract.tick.message.safeParse(parse(message));
    if (tick.success && this.#position.isBehind(tick.data)) this.#pacer.hurry();
  }
}

function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
