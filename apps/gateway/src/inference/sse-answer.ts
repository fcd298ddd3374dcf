import type { EndFrame, ServiceError, StreamEvent } from '@slipway/contracts';
import { answerError } from '../http/answer.js';
import type { Exchange } from '../http/exchange.js';
import { idHeaders } from '../http/request-id.js';
import type { MemoryHold } from '../memory/memory-shares.js';
import type { AnswerWriter } from '../surfaces/surface.js';
import type { Answer, CutReason } from './answer.js';
import { ClientProgress } from '../http/client-progress.js';
import { eventBytes } from './event-bytes.js';
import type { LoopPressure } from './loop-pressure.js';
import type { RelayTimes } from './relay-times.js';

const MIB = 1024 * 1024;
/** What may wait for one client, queued here or in its socket, where its account holds as much as it may, in bytes. */
export const UNSENT_BYTES_SPARED = 64 * 1024;
/** Most that waits for one client, in bytes. One event of an engine has up to 8 Mi characters, and nobody takes it in one go. */
export const UNSENT_BYTES_MAX = 20 * MIB;
/** What an event costs in memory beside what it says, in bytes. */
const EVENT_BYTES = 64;

export interface SseOptions {
  readonly exchange: Exchange;
  readonly writer: AnswerWriter;
  readonly pressure: LoopPressure;
  readonly times: RelayTimes;
  readonly cut: (reason: CutReason) => void;
  /** The account's memory for answers that wait; given back when the response is over. */
  readonly hold: Pick<MemoryHold, 'resize' | 'shrinkTo'>;
}

const isOutput = ({ k }: StreamEvent): boolean => k !== 'start';

/**
 * Relays events to one client as server-sent events. Each engine step is one write, at once; while the client or the
 * event loop is behind, what comes is kept as events and merged into one write. The first output never waits.
 */
export class SseAnswer implements Answer {
  readonly #progress: ClientProgress;
  readonly #startedAt = performance.now();
  #queued: StreamEvent[] = [];
  #queuedBytes = 0;
  #committed = false;
  #begun = false;
  #closed = false;
  #lastWrite = 0;

  constructor(private readonly options: SseOptions) {
    this.#progress = new ClientProgress(options.exchange.response, this.#startedAt);
    options.exchange.response.on('drain', this.#flush);
  }

  events(events: readonly StreamEvent[]): void {
    // What the engine says before its first output waits for it.
    if (!this.#begun && !events.some(isOutput)) return this.#keep(events);
    const { pressure, writer } = this.options;
    const first = !this.#begun;
    this.#begun = true;
    const behind = this.#response.writableNeedDrain || this.#queued.length > 0;
    if (first || (!behind && !pressure.lagging)) return this.#write(writer.frames(first ? [...this.#take(), ...events] : events));
    this.#keep(events);
    return behind ? undefined : pressure.atTurnEnd(this.#flush);
  }

  end(end: EndFrame): void {
    const { writer } = this.options;
    const queued = writer.frames(this.#take());
    let last: string;
    try {
      last = queued + writer.lastFrames(end);
    } catch (incomplete) {
      // What the model said before it failed is still the client's.
      this.#write(queued);
      throw incomplete;
    }
    this.#commit();
    this.#closed = true;
    this.#response.end(last);
  }

  fail(error: ServiceError): void {
    this.#closed = true;
    const { writer, exchange } = this.options;
    if (!this.#committed) return answerError(exchange, error);
    const { response } = exchange;
    // Without the last chunk, after the error has left: the one ending that every client takes for a failure.
    response.write(writer.frames(this.#take()) + writer.errorFrame(error, exchange.id), () => response.destroy());
    return undefined;
  }

  tick(now: number): void {
    const { times, cut } = this.options;
    if (this.#progress.stalledFor(now) > times.stalledMs) return cut('client_stalled');
    if (!this.#charge() && !this.#closed) return cut('client_too_slow');
    if (this.#closed) return undefined;
    const silentSince = this.#committed ? this.#lastWrite : this.#startedAt;
    const patience = this.#committed ? times.keepAliveMs : times.commitStreamMs;
    if (now - silentSince < patience || this.#response.writableNeedDrain) return undefined;
    this.#write(this.options.writer.keepAlive);
    this.#lastWrite = now;
    return undefined;
  }

  get #response(): Exchange['response'] {
    return this.options.exchange.response;
  }

  #commit(): void {
    if (this.#committed) return;
    this.#committed = true;
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-store, no-transform',
      'x-accel-buffering': 'no',
      ...idHeaders(this.options.exchange.id),
    });
  }

  #write(frames: string): void {
    if (frames === '' || this.#closed) return;
    this.#commit();
    this.#lastWrite = performance.now();
    this.#response.write(frames);
  }

  #keep(events: readonly StreamEvent[]): void {
    for (const event of events) {
      this.#queued.push(event);
      this.#queuedBytes += EVENT_BYTES + eventBytes(event);
    }
    const unsent = this.#unsent;
    // A little is charged when time passes: most of it has left by then.
    if (unsent > UNSENT_BYTES_MAX || (unsent > UNSENT_BYTES_SPARED && !this.#charge())) this.options.cut('client_too_slow');
  }

  get #unsent(): number {
    return this.#queuedBytes + this.#response.writableLength;
  }

  /** @returns false where the account holds as much as it may, and this is more than is spared then */
  #charge(): boolean {
    const unsent = this.#unsent;
    return this.options.hold.resize(unsent) === 'taken' || unsent <= UNSENT_BYTES_SPARED;
  }

  #take(): StreamEvent[] {
    const events = this.#queued;
    this.#queued = [];
    this.#queuedBytes = 0;
    return events;
  }

  readonly #flush = (): void => {
    if (this.#closed || this.#response.writableNeedDrain) return;
    if (this.#queued.length > 0) this.#write(this.options.writer.frames(this.#take()));
    this.options.hold.shrinkTo(this.#response.writableLength);
  };
}
