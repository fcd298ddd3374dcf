import { EMPTY_SUM, ERRORS, ServiceError, type StreamEvent, addToSum, isServiceError } from '@slipway/contracts';
import type { StreamSettings } from '../stream-settings.js';
import type { Generation, GenerationResult, StreamWriter } from '../types.js';
import type { FrameAddress } from '../wire/subjects.js';
import { chunkEvents } from './event-json.js';
import type { GatewayInterest } from './gateway-interest.js';
import { Retention } from './retention.js';

/** Every n-th data frame also asks the server whether anybody listens. */
const CHECK_EVERY = 8;

/** What a stream needs of its sender. */
export interface WorkerStreamHost {
  readonly settings: StreamSettings;
  readonly now: () => number;
  /** Largest frame in bytes. */
  readonly frameLimit: () => number;
  /** Publishes a frame, or lets it fall while the connection is down: what counts is retained. */
  readonly publish: (stream: WorkerStream, json: string, check: boolean) => void;
  /** The engine's work for the stream is over. */
  readonly settled: (stream: WorkerStream) => void;
  readonly failedUnexpectedly: (stream: WorkerStream, err: unknown) => void;
}

export interface WorkerStreamOptions {
  readonly host: WorkerStreamHost;
  readonly address: FrameAddress;
  /** Frame subject. */
  readonly reply: string;
  /** Subject for the server's verdict that nobody listens. */
  readonly noInterest: string;
  readonly interest: GatewayInterest;
  readonly deadlineMs: number;
}

type State = 'running' | 'cancelling' | 'ended' | 'dropped';
type Phase = Parameters<StreamWriter['phase']>[0];

/** One admitted attempt at its worker: runs the generation, numbers and retains what it produces, repeats its end. */
export class WorkerStream implements StreamWriter {
  readonly address: FrameAddress;
  readonly reply: string;
  readonly noInterest: string;
  readonly interest: GatewayInterest;
  readonly #host: WorkerStreamHost;
  readonly #retention = new Retention();
  readonly #abort = new AbortController();
  readonly #firstBy: number;
  #state: State = 'running';
  #step: Phase = 'queue';
  #sum = EMPTY_SUM;
  #frames = 0;
  #sentAt: number;
  #leaseUntil: number;
  #last: string | null = null;
  #places: readonly string[] = [];

  constructor(options: WorkerStreamOptions) {
    this.#host = options.host;
    this.address = options.address;
    this.reply = options.reply;
    this.noInterest = options.noInterest;
    this.interest = options.interest;
    const now = this.#host.now();
    this.#sentAt = now;
    this.#firstBy = now + options.deadlineMs;
    this.#leaseUntil = now + this.#host.settings.leaseMs;
  }

  /** True while the engine's work is wanted. */
  get running(): boolean {
    return this.#state === 'running';
  }

  /** Held until it is over and no longer: an ended stream waits for its gateway, and what made it need not. */
  async run(generation: Generation): Promise<void> {
    try {
      this.#finish(await generation.run(this, this.#abort.signal));
    } catch (err) {
      this.#fail(isServiceError(err) ? err : this.#unexpected(err));
    } finally {
      this.#host.settled(this);
    }
  }

  phase(phase: Phase): void {
    this.#step = phase;
  }

  relaxed(places: readonly string[]): void {
    if (this.#state !== 'running' || places.length === 0) return;
    this.#places = places;
    this.#beat();
  }

  events(events: readonly StreamEvent[]): void {
    if (this.#state !== 'running' || events.length === 0) return;
    const chunks = chunkEvents(events, this.#host.frameLimit());
    if (!chunks) {
      this.#abort.abort();
      this.#fail(new ServiceError('engine_error', 'The model produced an event that is too large to deliver.'));
      return;
    }
    for (const event of events) this.#sum = addToSum(this.#sum, event);
    for (const { n, json } of chunks) this.#sendData(this.#retention.add(n, json), json);
  }

  /** The gateway has everything below `next` and wants the stream to go on. */
  acknowledge(next: number, now: number): void {
    this.#leaseUntil = now + this.#host.settings.leaseMs;
    this.#retention.acknowledge(next);
  }

  /** Sends everything from `from` on again, and the end where there is one; a sign of life when there is nothing. */
  replay(from: number): void {
    let sent = false;
    for (const { q, json } of this.#retention.replay(from)) {
      this.#send(dataFrame(q, json), false);
      sent = true;
    }
    if (this.#last !== null) this.#send(this.#last, true);
    else if (!sent) this.#beat();
  }

  /** Stops the engine; the end then tells what was counted. @returns false when there is nothing left to stop. */
  cancel(): boolean {
    if (this.#state !== 'running') return this.#state === 'cancelling';
    this.#state = 'cancelling';
    this.#abort.abort();
    return true;
  }

  /** Stops the engine and never says another word. */
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

  /** Says at once how far the stream is: after a reconnect, or to ask whether anybody listens. */
  report(): void {
    if (this.#last !== null) this.#send(this.#last, true);
    else if (this.#state === 'running') this.#beat();
  }

  leaseEnded(now: number): boolean {
    return now > this.#leaseUntil;
  }

  /** Repeats an end, beats when silent, gives up a stream that never began. */
  tick(now: number): void {
    const { repeatMs, heartbeatMs } = this.#host.settings;
    if (this.#last !== null) {
      if (now - this.#sentAt >= repeatMs) this.#send(this.#last, true);
      return;
    }
    if (this.#state !== 'running') return;
    if (this.#retention.produced === 0 && now > this.#firstBy)
      this.stop(new ServiceError('timeout', 'The model did not begin to answer in time.'));
    else if (now - this.#sentAt >= heartbeatMs) this.#beat();
  }

  #beat(): void {
    const q = this.#retention.produced;
    const isNews = q === 0 && this.#places.length > 0;
    this.#send(JSON.stringify({ k: 'hb', q, ph: this.#step, ...(isNews && { relaxed: this.#places }) }), true);
  }

  #sendData(q: number, json: string): void {
    this.#frames += 1;
    this.#send(dataFrame(q, json), this.#frames % CHECK_EVERY === 0);
  }

  #send(json: string, check: boolean): void {
    this.#sentAt = this.#host.now();
    this.#host.publish(this, json, check);
  }

  #finish({ usage, times }: GenerationResult): void {
    if (this.#state === 'dropped' || this.#state === 'ended') return;
    const fin = this.#state === 'cancelling' ? 'cancelled' : 'done';
    this.#conclude({ k: 'end', q: this.#retention.produced, fin, usage, sum: this.#sum, tm: times });
  }

  #fail({ code, message, param, facts }: ServiceError): void {
    if (this.#state === 'dropped' || this.#state === 'ended') return;
    const retry = ERRORS[code].retry === 'later' ? 'other' : 'no';
    this.#conclude({ k: 'err', q: this.#retention.produced, code, msg: message, retry, param, facts });
  }

  #conclude(frame: object): void {
    this.#state = 'ended';
    this.#last = JSON.stringify(frame);
    this.#send(this.#last, true);
  }

  #unexpected(err: unknown): ServiceError {
    if (!this.#abort.signal.aborted) this.#host.failedUnexpectedly(this, err);
    return new ServiceError('engine_error', 'The model failed while it was answering.', { cause: err });
  }
}

const dataFrame = (q: number, json: string): string => `{"k":"d","q":${q},"e":[${json}]}`;
