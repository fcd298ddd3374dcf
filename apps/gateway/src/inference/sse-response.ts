import type { EndFrame, ServiceError, StreamEvent } from '@slipway/contracts';
import { ChunkedBody } from '../http/chunked-body.js';
import { ClientProgress } from '../http/client-progress.js';
import { sendError } from '../http/error-response.js';
import { idHeaders, type RequestContext } from '../http/request-context.js';
import type { MemoryReservation, TakeResult } from '../memory/memory-shares.js';
import type { LateFrames, ResponseWriter } from '../surfaces/surface.js';
import { memoryUsedUp, PIECE_BYTES } from './document-response.js';
import { type CutReason, eventBytes, type RelayedResponse, type RelayTimes } from './relayed-response.js';

/** Collects what is to be done once at the end of a turn of the event loop. */
export class TurnEnd {
  #tasks = new Set<() => void>();

  /** Calls `task` at the end of this turn, once however often it is given. */
  do(task: () => void): void {
    if (this.#tasks.size === 0) setImmediate(() => this.#doAll());
    this.#tasks.add(task);
  }

  #doAll(): void {
    const tasks = this.#tasks;
    this.#tasks = new Set();
    for (const task of tasks) task();
  }
}

const MIB = 1024 * 1024;
/** Unsent bytes that one client may have, queued here or in its socket, when its account's memory is used up. */
export const UNSENT_BYTES_SPARED = 64 * 1024;
/** Most unsent bytes of one client. One event of an engine has up to 8 Mi characters. */
export const UNSENT_BYTES_MAX = 20 * MIB;
/** Memory overhead of a queued event, in bytes. */
const EVENT_BYTES = 64;

export interface SseOptions {
  readonly context: RequestContext;
  readonly writer: ResponseWriter;
  readonly turnEnd: TurnEnd;
  readonly times: RelayTimes;
  readonly cut: (reason: CutReason) => void;
  /** The account's memory for unsent data and kept text; released when the response is over. */
  readonly hold: Pick<MemoryReservation, 'resize' | 'shrinkTo'>;
}

const isOutput = ({ k }: StreamEvent): boolean => k !== 'start';

/**
 * Relays events to one client as server-sent events. The first output is written at once. Later events of one turn of the event
 * loop, and those that come while the client is behind, are merged into one write, since writes use most of the CPU.
 */
export class SseResponse implements RelayedResponse {
  readonly #progress: ClientProgress;
  readonly #body: ChunkedBody;
  readonly #startedAt = performance.now();
  #queued: StreamEvent[] = [];
  #queuedBytes = 0;
  #committed = false;
  #begun = false;
  #closed = false;
  #lastWrite = 0;
  /** Kept text that is reserved. */
  #keptReserved = 0;

  constructor(private readonly options: SseOptions) {
    this.#progress = new ClientProgress(options.context.response, this.#startedAt);
    this.#body = new ChunkedBody(options.context.response, this.#flush);
  }

  events(events: readonly StreamEvent[]): void {
    this.#relay(events);
    if (this.#kept > this.#keptReserved + PIECE_BYTES) this.#reserveKept();
  }

  #relay(events: readonly StreamEvent[]): void {
    // Events before the first output wait for it.
    if (!this.#begun && !events.some(isOutput)) return this.#keep(events);
    if (!this.#begun) {
      this.#begun = true;
      return this.#write(this.options.writer.frames([...this.#take(), ...events]));
    }
    this.#keep(events);
    return this.#body.isBehind ? undefined : this.options.turnEnd.do(this.#flush);
  }

  end(end: EndFrame): void {
    const { writer } = this.options;
    const queued = writer.frames(this.#take());
    let last: string | LateFrames;
    try {
      last = writer.lastFrames(end);
    } catch (incomplete) {
      // Output before the failure still goes to the client.
      this.#write(queued);
      throw incomplete;
    }
    if (typeof last === 'string') return this.#close(queued + last);
    this.#write(queued + last.now);
    // It may have failed meanwhile.
    void last.late.then((frames) => this.#closed || this.#close(frames));
    return undefined;
  }

  #close(frames: string): void {
    this.#commit();
    this.#closed = true;
    this.#response.end(frames);
  }

  fail(error: ServiceError): void {
    this.#closed = true;
    const { writer, context } = this.options;
    if (!this.#committed) return sendError(context, error);
    const { response } = context;
    // Closed without the last HTTP chunk once the error is sent: every client treats that as a failure.
    response.write(writer.frames(this.#take()) + writer.errorFrame(error, context.id), () => response.destroy());
    return undefined;
  }

  tick(now: number): void {
    const { times, cut } = this.options;
    if (this.#progress.stalledFor(now) > times.stalledMs) return cut('client_stalled');
    if (!this.#reserve() && !this.#closed) return cut('client_too_slow');
    if (this.#closed) return undefined;
    const silentSince = this.#committed ? this.#lastWrite : this.#startedAt;
    const interval = this.#committed ? times.keepAliveMs : times.commitStreamMs;
    if (now - silentSince < interval || this.#body.isBehind) return undefined;
    this.#write(this.options.writer.keepAlive());
    this.#lastWrite = now;
    return undefined;
  }

  get #response(): RequestContext['response'] {
    return this.options.context.response;
  }

  #commit(): void {
    if (this.#committed) return;
    this.#committed = true;
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-store, no-transform',
      'x-accel-buffering': 'no',
      ...idHeaders(this.options.context.id),
    });
  }

  #write(frames: string): void {
    if (frames === '' || this.#closed) return;
    this.#commit();
    this.#lastWrite = performance.now();
    this.#body.write(frames);
  }

  #keep(events: readonly StreamEvent[]): void {
    for (const event of events) {
      this.#queued.push(event);
      this.#queuedBytes += EVENT_BYTES + eventBytes(event);
    }
    const unsent = this.#unsent;
    // Small amounts are reserved by the next tick; most have been sent by then.
    if (unsent > UNSENT_BYTES_MAX || (unsent > UNSENT_BYTES_SPARED && !this.#reserve())) this.options.cut('client_too_slow');
  }

  get #unsent(): number {
    return this.#queuedBytes + this.#response.writableLength;
  }

  /** What the writer holds until the end. */
  get #kept(): number {
    const { requestBytes = 0, keptBytes = 0 } = this.options.writer;
    return requestBytes + keptBytes;
  }

  #resize(): TakeResult {
    return this.options.hold.resize(this.#unsent + this.#kept);
  }

  /** @throws ServiceError `overloaded` where the memory for what the writer holds is used up */
  #reserveKept(): void {
    this.#keptReserved = this.#kept;
    const taken = this.#resize();
    if (taken !== 'taken') throw memoryUsedUp(taken === 'share_used');
  }

  /** @returns false where the account's memory is used up and the unsent data exceeds the spared amount */
  #reserve(): boolean {
    return this.#resize() === 'taken' || this.#unsent <= UNSENT_BYTES_SPARED;
  }

  #take(): StreamEvent[] {
    const events = this.#queued;
    this.#queued = [];
    this.#queuedBytes = 0;
    return events;
  }

  readonly #flush = (): void => {
    if (this.#closed || this.#body.isBehind) return;
    if (this.#queued.length > 0) this.#write(this.options.writer.frames(this.#take()));
    this.options.hold.shrinkTo(this.#response.writableLength + this.#kept);
  };
}
