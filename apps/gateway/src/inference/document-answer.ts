import { type EndFrame, ServiceError, type StreamEvent } from '@slipway/contracts';
import { answerError } from '../http/answer.js';
import type { Exchange, InferenceCall } from '../http/exchange.js';
import { idHeaders } from '../http/request-id.js';
import type { MemoryHold, MemoryShares } from '../memory/memory-shares.js';
import type { AnswerWriter } from '../surfaces/surface.js';
import type { Answer, CutReason } from './answer.js';
import { ClientProgress } from '../http/client-progress.js';
import { eventBytes } from './event-bytes.js';
import type { RelayTimes } from './relay-times.js';

/** Larger answers are an engine that does not stop, or probabilities beyond use; they would fill the memory. */
export const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

export interface DocumentOptions {
  readonly exchange: Exchange;
  readonly writer: AnswerWriter;
  readonly times: RelayTimes;
  readonly cut: (reason: CutReason) => void;
  /** What `holdAnswer` gave it. */
  readonly hold: Pick<MemoryHold, 'take'>;
}

/** Memory is taken in pieces of this size, the first before the engine is asked, in bytes. */
const PIECE_BYTES = 64 * 1024;

/**
 * Memory for an answer that is to be gathered; it is given back when the response is over.
 * @throws ServiceError `overloaded` where gathered answers hold as much as they may.
 */
export function holdAnswer(memory: MemoryShares, { caller, response }: Pick<InferenceCall, 'caller' | 'response'>): MemoryHold {
  const hold = holdFor(memory, { caller, response });
  takePiece(hold);
  return hold;
}

/** Nothing yet; what is taken is given back when the response is over. */
export function holdFor(memory: MemoryShares, { caller, response }: Pick<InferenceCall, 'caller' | 'response'>): MemoryHold {
  const hold = memory.open(caller.account.id);
  response.once('close', () => hold.release());
  return hold;
}

function takePiece(hold: Pick<MemoryHold, 'take'>): void {
  const taken = hold.take(PIECE_BYTES);
  if (taken !== 'taken') throw tooManyAnswers(taken === 'share_used');
}

/** Gathers an answer and sends it as one JSON document; blanks before it keep a long wait alive. */
export class DocumentAnswer implements Answer {
  readonly #startedAt = performance.now();
  readonly #progress: ClientProgress;
  #lastPad: number | null = null;
  #closed = false;
  #bytes = 0;
  #held = PIECE_BYTES;

  constructor(private readonly options: DocumentOptions) {
    this.#progress = new ClientProgress(options.exchange.response, this.#startedAt);
  }

  events(events: readonly StreamEvent[]): void {
    for (const event of events) this.#bytes += eventBytes(event);
    if (this.#bytes > DOCUMENT_BYTES_MAX) throw new ServiceError('engine_error', 'The answer grew larger than is held; stream it.');
    this.#keep();
    this.options.writer.collect(events);
  }

  end(end: EndFrame): void {
    const document = this.options.writer.document(end);
    this.#closed = true;
    const { response } = this.options.exchange;
    if (this.#lastPad === null) response.writeHead(200, { ...this.#headers(), 'content-length': Buffer.byteLength(document) });
    response.end(document);
  }

  fail(error: ServiceError): void {
    this.#closed = true;
    answerError(this.options.exchange, error);
  }

  tick(now: number): void {
    const { times, cut, exchange } = this.options;
    if (this.#progress.stalledFor(now) > times.stalledMs) return cut('client_stalled');
    const due = this.#lastPad === null ? this.#startedAt + times.commitDocumentMs : this.#lastPad + times.keepAliveMs;
    if (this.#closed || now < due) return undefined;
    if (this.#lastPad === null) exchange.response.writeHead(200, this.#headers());
    this.#lastPad = now;
    exchange.response.write(' ');
    return undefined;
  }

  #keep(): void {
    for (; this.#held < this.#bytes; this.#held += PIECE_BYTES) takePiece(this.options.hold);
  }

  #headers(): Record<string, string> {
    return { 'content-type': 'application/json', 'cache-control': 'no-store', ...idHeaders(this.options.exchange.id) };
  }
}

const tooManyAnswers = (isOwn: boolean): ServiceError =>
  new ServiceError(
    'overloaded',
    `${isOwn ? 'This account' : 'The gateway'} has as many unfinished answers as can be held; stream them, or try again soon.`,
    { retryAfterS: 5 },
  );
