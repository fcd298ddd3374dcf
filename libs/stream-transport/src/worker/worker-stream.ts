import { appendEvent, EMPTY_SUM, ERRORS, ServiceError, type StreamEvent, addToSum, isServiceError } from '@slipway/contracts';
import { LightAbort } from '@slipway/platform';
import type { StreamSettings } from '../stream-settings.js';
import type { Generation, GenerationResult, StreamWriter } from '../types.js';
import type { FrameAddress } from '../wire/subjects.js';
import { chunkEvents } from './event-json.js';
import type { GatewayInterest } from './gateway-interest.js';
import { Retention } from './retention.js';

/** Every n-th data frame carries a reply subject, so that the server reports a missing gateway; of a whole answer each does. */
const CHECK_EVERY = 8;
/** Held texts are sent from this length on, in UTF-16 code units. */
const HELD_CHARS = 16 * 1024;

/** What a stream needs from its sender. */
export interface WorkerStreamHost {
  readonly settings: StreamSettings;
  readonly now: () => number;
  /** Largest frame in bytes. */
  readonly frameLimit: () => number;
  /** Publishes a frame, or drops it while the connection is down: events are retained for replay. */
  readonly publish: (stream: WorkerStream, json: string, check: boolean) => void;
  /** The generation has ended. */
  readonly settled: (stream: WorkerStream) => void;
  readonly failedUnexpectedly: (stream: WorkerStream, err: unknown) => void;
}

export interface WorkerStreamOptions {
  readonly host: WorkerStreamHost;
  readonly address: FrameAddress;
  /** Frame subject. */
  readonly reply: string;
  /** Reply subject for the server's "no responders". */
  readonly noInterest: string;
  readonly interest: GatewayInterest;
  readonly deadlineMs: number;
  /** The gateway reads batches. */
  readonly batch: boolean;
  /** Texts may wait for one another. */
  readonly whole: boolean;
}

type State = 'running' | 'cancelling' | 'ended' | 'dropped';
type Phase = Parameters<StreamWriter['phase']>[0];

/** One admitted attempt at its worker: runs the generation, numbers and retains its events, repeats its end until acknowledged. */
export class WorkerStream implements StreamWriter {
  readonly address: FrameAddress;
  readonly reply: string;
  readonly noInterest: string;
  readonly interest: GatewayInterest;
  readonly batch: boolean;
  readonly #whole: boolean;
  /** Events of a whole answer that are not yet numbered. */
  #held: StreamEvent[] = [];
  #heldChars = 0;
  #saidText = false;
  readonly #host: WorkerStreamHost;
  readonly #retention = new Retention();
  readonly #abort = new LightAbort();
  readonly #firstBy: number;
  #state: State = 'running';
  #phase: Phase = 'queue';
  #sum = EMPTY_SUM;
  #frames = 0;
  #sentAt: number;
  #leaseUntil: number;
  #finalFrame: string | null = null;
  #relaxedPlaces: readonly string[] = [];

  constructor(options: WorkerStreamOptions) {
    this.#host = options.host;
    this.address = options.address;
    this.reply = options.reply;
    this.noInterest = options.noInterest;
    this.interest = options.interest;
    this.batch = options.batch;
    this.#whole = options.whole;
    const now = this.#host.now();
    this.#sentAt = now;
    this.#firstBy = now + options.deadlineMs;
    this.#leaseUntil = now + this.#host.settings.leaseMs;
  }

  /** True until the stream has ended, was cancelled or dropped. */
  get running(): boolean {
    return this.#state === 'running';
  }

  /** Runs the generation. The stream keeps no reference to it, since an ended stream outlives it until acknowledged. */
  async run(generation: Generation): Promise<void> {
    try {
      const result = await generation.run(this, this.#abort.signal);
      if (result === 'busy') this.#waited();
      else this.#finish(result);
    } catch (err) {
      this.#fail(isServiceError(err) ? err : this.#unexpected(err));
    } finally {
      this.#host.settled(this);
    }
  }

  phase(phase: Phase): void {
    this.#phase = phase;
  }

  relaxed(places: readonly string[]): void {
    if (this.#state !== 'running' || places.length === 0) return;
    this.#relaxedPlaces = places;
    this.#sendHeartbeat();
  }

  events(events: readonly StreamEvent[]): void {
    if (this.#state !== 'running' || events.length === 0) return;
    // The first text is sent at once: time to first token is measured by it.
    if (this.#whole && this.#saidText) this.#hold(events);
    else this.#produce(events);
    this.#saidText ||= events.some((event) => event.k !== 'start');
  }

  #hold(events: readonly StreamEvent[]): void {
    for (const event of events) {
      appendEvent(this.#held, { ...event });
      this.#heldChars += 'x' in event ? event.x.length : 0;
    }
    if (this.#heldChars >= HELD_CHARS) this.#sendHeld();
  }

  #sendHeld(): void {
    const events = this.#held;
    this.#held = [];
    this.#heldChars = 0;
    if (events.length > 0) this.#produce(events);
  }

  /** Numbers, retains and sends events. */
  #produce(events: readonly StreamEvent[]): void {
    const chunks = chunkEvents(events, this.#host.frameLimit());
    if (!chunks) {
      this.#abort.abort();
      this.#fail(new ServiceError('engine_error', 'The model produced an event that is too large to deliver.'));
      return;
    }
    for (const event of events) this.#sum = addToSum(this.#sum, event);
    for (const { n, json } of chunks) this.#sendData(this.#retention.add(n, json), json);
  }

  /** The gateway has every event below `next`; renews the lease. */
  acknowledge(next: number, now: number): void {
    this.#leaseUntil = now + this.#host.settings.leaseMs;
    this.#retention.acknowledge(next);
  }

  /** Sends all events from `from` on again and the final frame; a heartbeat when there are none. */
  replay(from: number): void {
    let sent = false;
    for (const { q, json } of this.#retention.replay(from)) {
      this.#send(dataFrame(q, json), false);
      sent = true;
    }
    if (this.#finalFrame !== null) this.#send(this.#finalFrame, true);
    else if (!sent) this.#sendHeartbeat();
  }

  /** Stops the engine; the end frame then carries the usage so far. @returns false when nothing runs any more. */
  cancel(): boolean {
    if (this.#state !== 'running') return this.#state === 'cancelling';
    this.#state = 'cancelling';
    this.#abort.abort();
    return true;
  }

  /** Stops the engine and sends nothing more. */
  drop(): void {
    const working = this.#state === 'running';
    this.#state = 'dropped';
    if (working) this.#abort.abort();
  }

  /** Stops the engine and ends the stream with an error. */
  stop(error: ServiceError): void {
    if (this.#state !== 'running') return;
    this.#abort.abort();
    this.#fail(error);
  }

  /** Sends the stream's position at once: after a reconnect, or to learn whether the gateway still subscribes. */
  report(): void {
    if (this.#finalFrame !== null) this.#send(this.#finalFrame, true);
    else if (this.#state === 'running') this.#sendHeartbeat();
  }

  leaseEnded(now: number): boolean {
    return now > this.#leaseUntil;
  }

  /** Repeats an unacknowledged end, sends heartbeats, and fails a stream that did not begin in time. */
  tick(now: number): void {
    const { repeatMs, heartbeatMs } = this.#host.settings;
    if (this.#finalFrame !== null) {
      if (now - this.#sentAt >= repeatMs) this.#send(this.#finalFrame, true);
      return;
    }
    if (this.#state !== 'running') return;
    if (this.#retention.produced === 0 && now > this.#firstBy)
      this.stop(new ServiceError('timeout', 'The model did not begin to answer in time.'));
    else if (now - this.#sentAt >= heartbeatMs) this.#sendSign();
  }

  /** Held events are as good a sign of life as a heartbeat. */
  #sendSign(): void {
    if (this.#held.length > 0) this.#sendHeld();
    else this.#sendHeartbeat();
  }

  #sendHeartbeat(): void {
    const q = this.#retention.produced;
    const isNews = q === 0 && this.#relaxedPlaces.length > 0;
    this.#send(JSON.stringify({ k: 'hb', q, ph: this.#phase, ...(isNews && { relaxed: this.#relaxedPlaces }) }), true);
  }

  #sendData(q: number, json: string): void {
    this.#frames += 1;
    this.#send(dataFrame(q, json), this.#whole || this.#frames % CHECK_EVERY === 0);
  }

  #send(json: string, check: boolean): void {
    this.#sentAt = this.#host.now();
    this.#host.publish(this, json, check);
  }

  #finish({ usage, times }: GenerationResult): void {
    if (this.#isOver()) return;
    const fin = this.#state === 'cancelling' ? 'cancelled' : 'done';
    if (fin === 'done') this.#sendHeld();
    // What was held may have been too large to deliver.
    if (this.#isOver()) return;
    this.#conclude({ k: 'end', q: this.#retention.produced, fin, usage, sum: this.#sum, tm: times });
  }

  #waited(): void {
    if (this.#isOver()) return;
    const msg = 'No slot became free in time.';
    this.#conclude({ k: 'err', q: this.#retention.produced, code: 'overloaded', msg, retry: 'other', waited: true });
  }

  #fail({ code, message, param, facts }: ServiceError): void {
    if (this.#isOver()) return;
    if (this.#state === 'running') this.#sendHeld();
    if (this.#isOver()) return;
    const retry = ERRORS[code].retry === 'later' ? 'other' : 'no';
    this.#conclude({ k: 'err', q: this.#retention.produced, code, msg: message, retry, param, facts });
  }

  #isOver(): boolean {
    return this.#state === 'dropped' || this.#state === 'ended';
  }

  #conclude(frame: object): void {
    this.#state = 'ended';
    this.#finalFrame = JSON.stringify(frame);
    this.#send(this.#finalFrame, true);
  }

  #unexpected(err: unknown): ServiceError {
    if (!this.#abort.signal.aborted) this.#host.failedUnexpectedly(this, err);
    return new ServiceError('engine_error', 'The model failed while it was answering.', { cause: err });
  }
}

const dataFrame = (q: number, json: string): string => `{"k":"d","q":${q},"e":[${json}]}`;
