import { type EndFrame, ServiceError, type StreamEvent } from '@slipway/contracts';
import { ClientProgress } from '../http/client-progress.js';
import { sendError } from '../http/error-response.js';
import { idHeaders, type InferenceContext, type RequestContext } from '../http/request-context.js';
import type { MemoryReservation, MemoryShares } from '../memory/memory-shares.js';
import type { CountSurface, DocumentWriter } from '../surfaces/surface.js';
import { type CutReason, eventBytes, type RelayedResponse, type RelayTimes } from './relayed-response.js';

/** Largest response that is not streamed, in bytes. */
export const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

export interface DocumentOptions {
  readonly context: RequestContext;
  readonly writer: DocumentWriter;
  readonly times: RelayTimes;
  readonly cut: (reason: CutReason) => void;
  /** From `reserveDocument`. */
  readonly hold: Pick<MemoryReservation, 'take'>;
}

/** Memory is reserved in steps of this size, the first before the stream starts, in bytes. */
export const PIECE_BYTES = 64 * 1024;

/**
 * Reserves memory for a response that is not streamed, until it is over.
 * @throws ServiceError `overloaded` where no memory is left
 */
export function reserveDocument(
  memory: MemoryShares,
  { caller, response }: Pick<InferenceContext, 'caller' | 'response'>,
): MemoryReservation {
  const hold = reservationFor(memory, { caller, response });
  takePiece(hold);
  return hold;
}

/** An empty reservation, which is released when the response is over. */
export function reservationFor(
  memory: MemoryShares,
  { caller, response }: Pick<InferenceContext, 'caller' | 'response'>,
): MemoryReservation {
  const hold = memory.open(caller.account.id);
  response.once('close', () => hold.release());
  return hold;
}

function takePiece(hold: Pick<MemoryReservation, 'take'>): void {
  const taken = hold.take(PIECE_BYTES);
  if (taken !== 'taken') throw memoryUsedUp(taken === 'share_used');
}

/** Collects an answer and sends it as one JSON document. Leading blanks keep the connection alive during a long wait. */
export class DocumentResponse implements RelayedResponse {
  readonly #startedAt = performance.now();
  readonly #progress: ClientProgress;
  #lastPad: number | null = null;
  #closed = false;
  #bytes = 0;
  #held = PIECE_BYTES;

  constructor(private readonly options: DocumentOptions) {
    this.#progress = new ClientProgress(options.context.response, this.#startedAt);
  }

  events(events: readonly StreamEvent[]): void {
    const { writer } = this.options;
    for (const event of events) this.#bytes += writer.bytesOf?.(event) ?? eventBytes(event);
    if (this.#bytes > DOCUMENT_BYTES_MAX) throw new ServiceError('engine_error', 'The response is larger than 64 MiB; use a stream.');
    this.#reserve();
    this.options.writer.collect(events);
  }

  end(end: EndFrame): void {
    const document = this.options.writer.document(end);
    if (typeof document === 'string') this.#send(document);
    else void document.then((late) => this.#sendLate(late));
  }

  /** A shutdown may have failed the request meanwhile. */
  #sendLate(document: string): void {
    const isFailed = this.#lastPad === null && this.options.context.response.headersSent;
    if (!this.#closed && !isFailed) this.#send(document);
  }

  #send(document: string): void {
    this.#closed = true;
    const { response } = this.options.context;
    if (this.#lastPad === null) response.writeHead(200, { 'content-length': Buffer.byteLength(document), ...this.#headers() });
    response.end(document);
  }

  fail(error: ServiceError): void {
    this.#closed = true;
    sendError(this.options.context, error);
  }

  tick(now: number): void {
    const { times, cut, context } = this.options;
    if (this.#progress.stalledFor(now) > times.stalledMs) return cut('client_stalled');
    const due = this.#lastPad === null ? this.#startedAt + times.commitDocumentMs : this.#lastPad + times.keepAliveMs;
    if (this.#closed || now < due) return undefined;
    if (this.#lastPad === null) context.response.writeHead(200, this.#headers());
    this.#lastPad = now;
    context.response.write(' ');
    return undefined;
  }

  #reserve(): void {
    const { requestBytes = 0 } = this.options.writer;
    for (; this.#held < this.#bytes + requestBytes; this.#held += PIECE_BYTES) takePiece(this.options.hold);
  }

  #headers(): Record<string, string> {
    return { 'content-type': 'application/json', 'cache-control': 'no-store', ...idHeaders(this.options.context.id) };
  }
}

/** The error where no memory for responses is left. @param isOwn the account has used its share */
export const memoryUsedUp = (isOwn: boolean): ServiceError =>
  new ServiceError(
    'overloaded',
    `The memory of ${isOwn ? 'this account' : 'the gateway'} for whole responses is used up; use a stream of chat or messages, or try again soon.`,
    { retryAfterS: 5 },
  );

/** Sends the token count of a prompt, the only content of a count's stream. */
export class TokenCountResponse implements RelayedResponse {
  #tokens: number | undefined;

  constructor(
    private readonly context: RequestContext,
    private readonly surface: Pick<CountSurface, 'response'>,
  ) {}

  events(events: readonly StreamEvent[]): void {
    for (const event of events) if (event.k === 'start') this.#tokens = event.prompt;
  }

  end({ usage }: EndFrame): void {
    const { id, response } = this.context;
    const { headers, body } = this.surface.response({ tokens: this.#tokens ?? usage.prompt, isEstimate: usage.estimated === true });
    response.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...idHeaders(id),
      'content-length': Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
  }

  fail(error: ServiceError): void {
    sendError(this.context, error);
  }

  /** A count never waits for a slot, so no keep-alive is needed. */
  tick(): void {
    return undefined;
  }
}
