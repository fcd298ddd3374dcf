import { Discover, type Incarnation, ServiceError, wildcardOf } from '@slipway/contracts';
import { type Logger, type Msg, type NatsConnection, overWithin, type Subscription, Ticker } from '@slipway/platform';
import { type StreamSettings, streamSettings } from '../stream-settings.js';
import type { Admission, WorkerLoad } from '../types.js';
import { monotonic } from '../wire/clock.js';
import { guardedCallback, Link, Publisher, StallWatch } from '../wire/link.js';
import { type Subjects, subjectsOf } from '../wire/subjects.js';
import { ControlHandler } from './control-handler.js';
import { FramePublisher, type OutgoingFrame } from './frame-publisher.js';
import { LoadReporter, newSenderCounters, type SenderCounters, type WorkerIdentity } from './load-reporter.js';
import { StartHandler } from './start-handler.js';
import { StreamTable } from './stream-table.js';
import { TurnOutbox } from './turn-outbox.js';
import type { WorkerStreamHost } from './worker-stream.js';

/** What a `StreamSender` needs. */
export interface StreamSenderOptions extends WorkerIdentity, Admission {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly load: () => WorkerLoad;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly settings?: Partial<StreamSettings> | undefined;
}

/** After a stall of the event loop, leases are not checked for this long, in which the socket's backlog is read. */
const READ_UP_MS = 500;
/** How long a drained worker waits for final acknowledgements after its deadline, in milliseconds. */
const LAST_ACKS_MS = 1_000;
/** How long an acceptance waits to share one socket write with the first frames, in milliseconds. */
const ACCEPT_MS = 5;
/**
 * With so many generations running, a frame waits for those of others. At 16 streams of 33 tokens a second one comes every 2 ms;
 * with fewer, most would wait alone.
 */
const COMPANY_STREAMS = 16;
/** How long it waits at most, in milliseconds. */
const COMPANY_MS = 2;
/** A NATS server that does not answer a ping within this is left for another, in milliseconds. */
const LINK_ANSWER_MS = 1_000;

const shuttingDown = (): ServiceError => new ServiceError('server_shutting_down', 'The worker is shutting down.', { retryAfterS: 1 });

/** Waits until a condition holds; whoever changes it calls `check`. */
class IdleWait {
  #waiters: (() => void)[] = [];
  readonly #isIdle: () => boolean;

  constructor(isIdle: () => boolean) {
    this.#isIdle = isIdle;
  }

  check(): void {
    if (this.#waiters.length === 0 || !this.#isIdle()) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  /** Resolves when idle, after `ms` at the latest. */
  async within(ms: number): Promise<void> {
    await overWithin(
      ms,
      new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        this.check();
      }),
    );
  }
}

/**
 * The worker's side of the stream protocol, one per runner. Admits starts, runs their generations, sends and retains their
 * output, and stops the engine when the gateway has gone. docs/stream-protocol.md is the specification.
 */
export class StreamSender {
  /** For metrics. */
  readonly counters: SenderCounters = newSenderCounters();
  readonly #settings: StreamSettings;
  readonly #subjects: Subjects;
  readonly #link: Link;
  readonly #publisher: Publisher;
  readonly #frames = new TurnOutbox<OutgoingFrame>((frames) => this.#sendFrames(frames), {
    holdMs: ACCEPT_MS,
    waitMs: () => (this.#atWork >= COMPANY_STREAMS ? COMPANY_MS : 0),
  });
  readonly #framePublisher: FramePublisher;
  readonly #startHandler: StartHandler;
  readonly #controlHandler: ControlHandler;
  readonly #table: StreamTable;
  readonly #reporter: LoadReporter;
  readonly #stallWatch: StallWatch;
  #subscriptions: Subscription[] = [];
  #starts: Subscription | null = null;
  readonly #ticker: Ticker;
  #draining = false;
  #atWork = 0;
  #judgeFrom = Number.NEGATIVE_INFINITY;
  readonly #idle = new IdleWait(() => this.#table.size === 0 && this.#atWork === 0);

  readonly #options: StreamSenderOptions;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
    const { nats, env, log } = options;
    this.#settings = streamSettings(options.settings);
    this.#subjects = subjectsOf(env);
    this.#publisher = new Publisher(nats, log);
    this.#framePublisher = new FramePublisher(this.#publisher);
    this.#link = new Link({
      nats,
      log,
      clock: monotonic,
      answerMs: LINK_ANSWER_MS,
      onUp: () => this.#reconnected(),
      onMoves: () => this.#controlHandler.tellMoves(),
    });
    this.#table = new StreamTable(this.#settings, this.counters, monotonic());
    this.#stallWatch = new StallWatch({ ...this.#settings, patienceMs: this.#settings.leaseMs });
    this.#ticker = new Ticker({
      tickMs: this.#settings.tickMs,
      tick: (lateMs) => this.#tick(lateMs),
      isBusy: () => this.#table.size > 0 || this.#atWork > 0 || this.#draining,
      clock: monotonic,
    });
    this.#reporter = this.#createReporter();
    this.#startHandler = this.#createStartHandler();
    const [publisher, table, starts] = [this.#publisher, this.#table, this.#startHandler];
    const answers = (gateway: string): string => this.#subjects.answers(gateway as Incarnation, options.wk);
    this.#controlHandler = new ControlHandler({
      counters: this.counters,
      publisher,
      table,
      starts,
      answers,
      moving: () => this.#link.moves,
    });
  }

  /** Streams held: running, or ended and not yet acknowledged. */
  get active(): number {
    return this.#table.size;
  }

  /** Subscribes and announces the worker. */
  start(): void {
    const { nats, env, wk, dep, log } = this.#options;
    const { starts, control, allNoInterestOf } = this.#subjects;
    const on = (handle: (msg: Msg) => void): { callback: ReturnType<typeof guardedCallback> } => ({
      callback: guardedCallback(log, handle),
    });
    this.#starts = nats.subscribe(
      starts(wk),
      on((msg) => {
        this.#ticker.wake();
        this.#startHandler.handle(msg, monotonic());
      }),
    );
    this.#subscriptions = [
      nats.subscribe(
        control(wk),
        on((msg) => this.#controlHandler.control(msg)),
      ),
      nats.subscribe(
        allNoInterestOf(wk),
        on((msg) => this.#controlHandler.noInterest(msg)),
      ),
      nats.subscribe(
        wildcardOf(Discover, { env }),
        on(() => this.#reporter.report()),
      ),
    ];
    this.#ticker.start();
    log.info({ wk, dep }, 'stream.worker_started');
    this.#reporter.report();
  }

  /** Call after anything that changes what `load` returns: reports it at once where it changes routing. */
  loadChanged(): void {
    this.#reporter.changed();
  }

  /**
   * Takes no more starts, lets streams finish and waits until gateways have acknowledged all of them. May be called again:
   * the earlier deadline counts.
   * @param last the error of streams that still run after `deadlineMs`; by default one that lets other workers try.
   * @returns how many streams had to be stopped.
   */
  async drain(deadlineMs: number, last: ServiceError = shuttingDown()): Promise<number> {
    const deadline = monotonic() + deadlineMs;
    this.#draining = true;
    this.#ticker.wake();
    this.#reporter.report();
    const starts = this.#starts;
    this.#starts = null;
    // Starts in flight still arrive and are rejected with `draining`.
    if (starts) await overWithin(deadlineMs, starts.drain());
    await this.#idle.within(deadline - monotonic());
    const stopped = this.#table.stopAll(last);
    if (this.#table.size > 0) await this.#idle.within(LAST_ACKS_MS);
    this.#options.log.info({ wk: this.#options.wk, stopped, unacknowledged: this.#table.size }, 'stream.worker_drained');
    return stopped;
  }

  /** Stops at once: aborts what runs and unsubscribes. The connection stays open. */
  async stop(): Promise<void> {
    this.#ticker.stop();
    this.#reporter.stop();
    this.#link.stop();
    for (const subscription of [...this.#subscriptions, ...(this.#starts ? [this.#starts] : [])]) {
      if (!this.#options.nats.isClosed()) subscription.unsubscribe();
    }
    this.#table.dropAll();
    this.#idle.check();
    this.#frames.flush();
    if (!this.#options.nats.isClosed()) await this.#publisher.flush();
  }

  #tick(lateMs: number): void {
    const now = monotonic();
    const pace = this.#stallWatch.pace(now, lateMs);
    if (pace !== 'steady') this.counters.stalls += 1;
    if (pace === 'stalled') this.#judgeFrom = now + READ_UP_MS;
    if (this.#options.nats.isClosed()) this.#table.dropAll();
    this.#table.tick(now, pace === 'steady' && now >= this.#judgeFrom);
    // Messages that waited in the socket are read first.
    if (pace === 'stalls on') setImmediate(() => this.#table.tick(monotonic(), true));
    this.#startHandler.tick(now);
    if (this.#table.longestQuiet(now) > this.#settings.heartbeatMs) this.#link.prove();
    this.#reporter.tick(now);
    this.#idle.check();
  }

  #reconnected(): void {
    this.#reporter.report();
    this.#table.reportAll(monotonic());
  }

  #createReporter(): LoadReporter {
    const { wk, dep, load } = this.#options;
    const subject = this.#subjects.heartbeats(dep, wk);
    return new LoadReporter({
      identity: this.#options,
      clock: monotonic,
      heartbeatMs: this.#settings.heartbeatMs,
      spacingMs: this.#settings.loadReportMs,
      load: () => (this.#draining ? { ...load(), state: 'draining' } : load()),
      publish: (heartbeat) => {
        if (this.#link.up) this.#publisher.send(subject, JSON.stringify(heartbeat));
      },
    });
  }

  #createStartHandler(): StartHandler {
    const settings = this.#settings;
    const subjects = this.#subjects;
    const publisher = this.#publisher;
    const table = this.#table;
    const { counters } = this;
    const { load, log } = this.#options;
    const draining = (): boolean => this.#draining;
    const begun = (): void => {
      this.#atWork += 1;
      queueMicrotask(() => this.#reporter.changed());
    };
    const host = this.#createHost();
    return new StartHandler({
      identity: this.#options,
      settings,
      subjects,
      counters,
      publisher,
      table,
      host,
      admission: this.#options,
      load,
      draining,
      accepted: (stream, json) => this.#frames.hold({ stream, json, check: false }),
      begun,
      log,
    });
  }

  #sendFrames(frames: readonly OutgoingFrame[]): void {
    if (this.#link.up) this.#framePublisher.send(frames);
  }

  #createHost(): WorkerStreamHost {
    return {
      settings: this.#settings,
      now: monotonic,
      frameLimit: () => this.#publisher.limit,
      publish: (stream, json, check) => this.#frames.put({ stream, json, check }),
      settled: () => {
        this.#atWork -= 1;
        this.#reporter.changed();
        this.#idle.check();
      },
      failedUnexpectedly: (stream, err) => this.#options.log.error({ st: stream.address.st, err }, 'stream.generation_failed'),
    };
  }
}
