import { type AddressedFrame, ControlAnswer, type ControlMessage, type Frame, type Incarnation, readFrames } from '@slipway/contracts';
import { type Logger, type Msg, type NatsConnection, OpenSet, OpenTable, type Subscription, Ticker } from '@slipway/platform';
import { type StreamSettings, streamSettings } from '../stream-settings.js';
import type { OpenStream, StreamRequest, StreamSink, WorkerChooser } from '../types.js';
import { monotonic } from '../wire/clock.js';
import { guardedCallback, isNoResponders, Link, Publisher, StallWatch } from '../wire/link.js';
import { type Subjects, subjectsOf } from '../wire/subjects.js';
import type { ActiveAttempt } from './attempt-host.js';
import { GatewayStream, type GatewayStreamHost } from './gateway-stream.js';
import { LateFrames } from './late-frames.js';
import { newReceiverCounters, type ReceiverCounters } from './receiver-counters.js';
import { notReachable, shuttingDown } from './retry-policy.js';
import { StartPublisher } from './start-publisher.js';
import { VitalsTable, WorkerPeers } from './worker-peers.js';

/** What a `StreamReceiver` needs. */
export interface StreamReceiverOptions {
  readonly nats: NatsConnection;
  /** A second connection for large starts, so that they delay no tokens. */
  readonly bulk: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly settings?: Partial<StreamSettings> | undefined;
}

/** Finished streams are acknowledged this often, in milliseconds. */
const FINISHED_MS = 100;
/** A NATS server that does not answer a ping within this is left for another, in milliseconds. */
const LINK_ANSWER_MS = 1_000;

/**
 * The gateway's side of the stream protocol, one per process. Opens streams at workers and delivers each event exactly once
 * and in order, or an error. docs/stream-protocol.md is the specification.
 */
export class StreamReceiver {
  /** For metrics. */
  readonly counters: ReceiverCounters = newReceiverCounters();
  readonly #settings: StreamSettings;
  readonly #subjects: Subjects;
  readonly #publisher: Publisher;
  readonly #link: Link;
  readonly #bulkLink: Link;
  readonly #peers: WorkerPeers<ActiveAttempt>;
  readonly #late: LateFrames;
  readonly #stallWatch: StallWatch;
  readonly #host: GatewayStreamHost;
  readonly #vitals = new VitalsTable();
  readonly #attempts = new OpenTable<ActiveAttempt>();
  readonly #streams = new OpenSet<GatewayStream>();
  readonly #subscriptions: Subscription[];
  readonly #framePrefix: string;
  readonly #ticker: Ticker;
  #acknowledgedAt = 0;
  #finishedAt = 0;
  /** When the last message arrived. */
  #lastMessageAt = 0;
  #stopped = false;

  readonly #options: StreamReceiverOptions;

  constructor(options: StreamReceiverOptions) {
    this.#options = options;
    const { nats, bulk, env, gw, log } = options;
    const now = monotonic();
    const clock = monotonic;
    this.#settings = streamSettings(options.settings);
    this.#subjects = subjectsOf(env);
    this.#framePrefix = this.#subjects.framePrefixOf(gw);
    this.#publisher = new Publisher(nats, log);
    this.#link = new Link({
      nats,
      log,
      clock,
      answerMs: LINK_ANSWER_MS,
      onUp: () => this.#linkUp(),
      onDown: () => this.#peers.clearSuspicions(),
      onMoves: () => this.#peers.acknowledgeAll(),
    });
    this.#bulkLink = new Link({ nats: bulk, log, clock, answerMs: LINK_ANSWER_MS });
    this.#stallWatch = new StallWatch({ ...this.#settings, patienceMs: this.#settings.leaseMs });
    this.#peers = new WorkerPeers({
      settings: this.#settings,
      ask: (wk, json) => this.#publisher.send(this.#subjects.control(wk), json, { reply: this.#subjects.answers(gw, wk) }),
      died: (wk, attempts) => this.#workerDied(wk, attempts),
      moving: () => this.#link.moves,
    });
    this.#late = new LateFrames(
      {
        counters: this.counters,
        keepMs: 2 * this.#settings.leaseMs,
        repeatMs: this.#settings.repeatMs,
        finished: (wk, attempt) => this.#peers.finished(wk, attempt),
        control: (wk, message) => this.#control(wk, message),
      },
      now,
    );
    this.#host = this.#createHost();
    this.#subscriptions = [
      nats.subscribe(this.#subjects.allFramesOf(gw), { callback: guardedCallback(log, (msg) => this.#onFrames(msg)) }),
      nats.subscribe(this.#subjects.allAnswersTo(gw), { callback: guardedCallback(log, (msg) => this.#onAnswer(msg)) }),
    ];
    this.#ticker = new Ticker({
      tickMs: this.#settings.tickMs,
      tick: (lateMs) => this.#tick(lateMs),
      isBusy: () => this.#streams.size > 0 || this.#attempts.size > 0,
      clock: monotonic,
    });
    this.#ticker.start();
  }

  /** Open streams, including those that wait for a worker or for the usage of a cancelled attempt. */
  get active(): number {
    return this.#streams.size;
  }

  /**
   * Opens a stream: asks `chooser` for workers until one accepts it, and delivers to `sink`, never before this call has
   * returned.
   */
  open(request: StreamRequest, chooser: WorkerChooser, sink: StreamSink): OpenStream {
    const stream = new GatewayStream({ host: this.#host, request, chooser, sink });
    this.counters.opened += 1;
    this.#ticker.wake();
    this.#streams.add(stream);
    if (this.#stopped) queueMicrotask(() => stream.fail(shuttingDown()));
    else stream.begin();
    return stream;
  }

  /** Ends every stream with an error, cancels it at its worker, and unsubscribes. The connections stay open. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stream of this.#streams) stream.stop(shuttingDown());
    this.#ticker.stop();
    this.#link.stop();
    this.#bulkLink.stop();
    if (this.#options.nats.isClosed()) return;
    this.#peers.acknowledgeAll();
    await this.#publisher.flush();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  #onFrames(msg: Msg): void {
    this.#lastMessageAt = monotonic();
    const { subject } = msg;
    if (isNoResponders(msg)) {
      this.#noResponders(subject);
      return;
    }
    const read = readFrames(msg.string());
    if (!isBatch(read)) this.#onFrame(subject, read);
    else for (const { st, at, frame } of read) this.#onFrame(`${this.#framePrefix}${st}.${at}`, frame);
  }

  /** @param frame null = unreadable by this version */
  #onFrame(subject: string, frame: Frame | null): void {
    const attempt = this.#attempts.get(subject);
    if (!attempt) {
      this.#late.arrived(subject, frame, this.#lastMessageAt);
      return;
    }
    if (!frame) this.counters.unreadable += 1;
    try {
      attempt.frame(frame, this.#lastMessageAt);
    } catch (err) {
      this.#sinkFailed(attempt, err);
    }
  }

  #noResponders(subject: string): void {
    const attempt = this.#attempts.get(subject);
    try {
      attempt?.noResponders(this.#lastMessageAt);
    } catch (err) {
      if (attempt) this.#sinkFailed(attempt, err);
    }
  }

  #sinkFailed(attempt: ActiveAttempt, err: unknown): void {
    this.#options.log.error({ st: attempt.st, err }, 'stream.sink_failed');
    attempt.crash(err);
  }

  #onAnswer(msg: Msg): void {
    this.#lastMessageAt = monotonic();
    const wk = msg.subject.slice(msg.subject.lastIndexOf('.') + 1) as Incarnation;
    if (isNoResponders(msg)) {
      this.#peers.noResponders(wk, this.#lastMessageAt, this.#link.since);
      for (const attempt of this.#attempts.values()) if (attempt.wk === wk) attempt.probeFailed(this.#lastMessageAt);
      return;
    }
    const answer = readAnswer(msg);
    this.#peers.answered(wk, answer?.moves === true);
    this.#vitals.seen(wk, this.#lastMessageAt);
    for (const [st, at] of answer?.gone ?? []) {
      const attempt = this.#attempts.get(this.#subjects.frames(this.#options.gw, st, at));
      if (attempt?.wk === wk) attempt.gone();
    }
  }

  #workerDied(wk: Incarnation, attempts: readonly ActiveAttempt[]): void {
    this.counters.lostWorkers += 1;
    this.#options.log.warn({ wk, streams: attempts.length }, 'stream.worker_lost');
    for (const attempt of attempts) attempt.dead();
  }

  #tick(lateMs: number): void {
    const now = monotonic();
    const pace = this.#stallWatch.pace(now, lateMs);
    if (pace === 'steady') {
      this.#judge(now);
      return;
    }
    this.counters.stalls += 1;
    // Messages that waited in the socket are read first. Then timeouts restart, or are checked if stalls go on for too long.
    setImmediate(() => (pace === 'stalled' ? this.#restartTimers() : this.#judge(monotonic())));
  }

  #judge(now: number): void {
    if (this.#stopped) return;
    const judge = this.#link.up;
    if (judge && this.#attempts.size > 0 && now - this.#lastMessageAt > this.#settings.heartbeatMs) this.#link.prove();
    const cutOff = !judge && now - this.#link.since > this.#settings.leaseMs;
    for (const stream of this.#streams) this.#tickStream(stream, now, { judge, cutOff });
    if (judge) this.#acknowledge(now);
    this.#late.sweep(now);
    this.#vitals.sweep(now);
  }

  #tickStream(stream: GatewayStream, now: number, { judge, cutOff }: { judge: boolean; cutOff: boolean }): void {
    try {
      if (this.#options.nats.isClosed()) stream.stop(notReachable());
      else if (cutOff) stream.cutOff();
      stream.tick(now, judge);
    } catch (err) {
      this.#options.log.error({ err }, 'stream.sink_failed');
      stream.crashed(err);
    }
  }

  #acknowledge(now: number): void {
    if (now - this.#acknowledgedAt >= this.#settings.ackMs) {
      this.#acknowledgedAt = now;
      this.#finishedAt = now;
      this.#peers.acknowledgeAll();
    }
    const finished = now - this.#finishedAt >= FINISHED_MS;
    if (finished) this.#finishedAt = now;
    this.#peers.tick(now, finished);
  }

  #linkUp(): void {
    this.#restartTimers();
    const now = monotonic();
    for (const stream of this.#streams) stream.resync(now);
  }

  #restartTimers(): void {
    const now = monotonic();
    this.#peers.clearSuspicions();
    for (const stream of this.#streams) stream.restartTimers(now);
    if (!this.#link.up || this.#stopped) return;
    this.#acknowledgedAt = now;
    this.#peers.acknowledgeAll();
  }

  #control(wk: Incarnation, message: ControlMessage): void {
    if (this.#link.up) this.#publisher.send(this.#subjects.control(wk), JSON.stringify(message));
  }

  #createHost(): GatewayStreamHost {
    const { gw, bulk, log } = this.#options;
    const { assembliesPerGateway } = this.#settings;
    const bulkPublisher = new Publisher(bulk, log);
    return {
      gw,
      settings: this.#settings,
      counters: this.counters,
      link: this.#link,
      starts: new StartPublisher({
        subjects: this.#subjects,
        small: this.#publisher,
        bulk: bulkPublisher,
        bulkLink: this.#bulkLink,
        uploads: assembliesPerGateway,
      }),
      now: monotonic,
      moves: (wk) => this.#peers.moves(wk),
      vitals: (wk) => this.#vitals.of(wk),
      frameSubject: ({ st }, at) => this.#subjects.frames(gw, st, at),
      enter: (attempt) => this.#attempts.set(attempt.subject, attempt),
      join: (attempt) => this.#peers.join(attempt.wk, attempt),
      part: (attempt) => this.#peers.leave(attempt.wk, attempt),
      leave: (attempt, cancelledAt) => {
        this.#attempts.delete(attempt.subject);
        this.#peers.leave(attempt.wk, attempt);
        this.#late.expect(attempt, cancelledAt);
      },
      finish: (attempt) => this.#peers.finished(attempt.wk, attempt),
      control: (wk, message) => this.#control(wk, message),
      probe: (wk) => this.#peers.probe(wk),
      closed: (stream) => this.#streams.delete(stream),
      ownerFailed: (err) => log.error({ err }, 'stream.owner_failed'),
    };
  }
}

const isBatch = (read: ReturnType<typeof readFrames>): read is readonly AddressedFrame[] => Array.isArray(read);

function readAnswer(msg: Msg): ControlAnswer | null {
  try {
    return ControlAnswer.message.safeParse(JSON.parse(msg.string())).data ?? null;
  } catch {
    return null;
  }
}
