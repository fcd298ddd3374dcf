import { ServiceError, type Usage } from '@slipway/contracts';
import type { Logger, TraceHeaders } from '@slipway/platform';
import type { AnswerRelay } from './answer-relay.js';
import type { Pace } from './read-shares.js';
import { ChunkStream } from './chunk-stream.js';
import { BrokenStreamError, type EventShare } from './sse-reader.js';
import type { UpstreamChunk } from './upstream-chunk.js';
import { type RequestBytes, STALE, type UpstreamClient } from './upstream-client.js';
import type { BodySink, ReadHeader, UpstreamAnswer } from './upstream-exchange.js';
import { errorOfRefusal, parseRecord, readRefusal, type RefusingAnswer, roomLeft, type UpstreamRefusal } from './upstream-error.js';

export interface HttpGenerationOptions {
  readonly client: UpstreamClient;
  readonly relay: AnswerRelay;
  /** Time after the answer is complete for the usage and the end of the stream, in milliseconds. */
  readonly endMs: number;
  readonly room: EventShare;
  readonly pace: Pace;
  /** Sent with the request. */
  readonly trace?: TraceHeaders | undefined;
  readonly log: Logger;
  /** The model that the answer must say it is of; null = it may say anything. */
  readonly answersAs: string | null;
  /** What may be quoted in a refusal and must not be repeated: texts of the request, and the credential. */
  sent(): Iterable<string>;
  /** Aborted with a ServiceError to fail the generation, with anything else to end it in peace. */
  readonly controller: AbortController;
}

/** After `[DONE]`: a stream that ends by itself leaves its connection open for the next request. */
const DRAIN_MS = 250;

/** Made once: an abort without a reason makes an exception, stack trace included, for each answer. */
const OVER = new Error('The answer is over.');

const engineError = (message: string, cause?: unknown): ServiceError => new ServiceError('engine_error', message, { cause });
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '');

/** What is waited for: the answer, what may follow it, the end of the connection's use. */
type Stage = 'answer' | 'end' | 'drain';

/** The request as JSON, with another limit of tokens where one is given. */
export type RequestBody = (maxTokens?: number) => RequestBytes;

/** One request to an upstream. */
export class HttpGeneration implements BodySink {
  #leaving: NodeJS.Timeout | undefined;
  readonly #chunks: ChunkStream;
  #isAnswered = false;
  #isStream = false;
  /** The stream was closed from here. */
  #left = false;
  #stage: Stage = 'answer';
  #flushing = false;
  /** Null once the answer has begun: then the request is not sent again, and it may be megabytes. */
  #body: RequestBody | null;

  constructor(
    private readonly options: HttpGenerationOptions,
    body: RequestBody,
  ) {
    this.#body = body;
    this.#chunks = new ChunkStream(options.room);
  }

  /** Whether any of the answer was handed on. */
  get started(): boolean {
    return this.options.relay.started;
  }

  /** @throws ServiceError unless the answer is complete, or was ended from outside in peace. */
  async run(): Promise<Usage> {
    const { controller, relay } = this.options;
    try {
      await this.#converse();
      return relay.usage();
    } catch (error) {
      if (relay.finished) return relay.usage();
      if (!controller.signal.aborted) throw this.#asServiceError(error);
      const reason: unknown = controller.signal.reason;
      if (reason instanceof ServiceError) throw reason;
      return relay.usage();
    } finally {
      clearTimeout(this.#leaving);
      this.#chunks.close();
      // Before the caller learns of the end, or of the failure: what came before it is handed on.
      relay.flush();
    }
  }

  begins(status: number, header: ReadHeader): boolean {
    this.#isAnswered = true;
    if (status === 200) this.#body = null;
    this.#isStream = status === 200 && /^text\/event-stream\b/i.test(header('content-type') ?? '');
    return this.#isStream;
  }

  bytes(piece: Uint8Array): boolean {
    // What came before broken bytes is handed on all the same.
    this.#flushSoon();
    if (!this.#left) this.#chunks.feed(piece, this.#take);
    const stage = this.#stageNow();
    if (stage !== this.#stage) this.#leaveAfter(stage === 'drain' ? DRAIN_MS : this.options.endMs);
    this.#stage = stage;
    return this.#chunks.inside;
  }

  async #converse(): Promise<void> {
    const first = await this.#post();
    if (first.status === 200) return this.#checkComplete(first);
    const refusal = this.#refusal(first);
    const room = roomLeft(refusal);
    if (room === null) throw errorOfRefusal(refusal);
    const second = await this.#post(room);
    if (second.status === 200) return this.#checkComplete(second);
    throw errorOfRefusal(this.#refusal(second));
  }

  async #post(maxTokens?: number): Promise<UpstreamAnswer> {
    try {
      return await this.#send(maxTokens);
    } catch (error) {
      if (this.options.controller.signal.aborted || this.#isAnswered || !STALE.has(codeOf(error))) throw error;
      return this.#send(maxTokens);
    }
  }

  /** Not a part of `#post`, which would hold the bytes until the answer is over. */
  #send(maxTokens: number | undefined): Promise<UpstreamAnswer> {
    const { client, controller, pace, trace } = this.options;
    if (!this.#body) throw new Error('A request cannot be sent again after its answer began.');
    return client.converse('/chat/completions', this.#body(maxTokens), { sink: this, signal: controller.signal, pace, trace });
  }

  #checkComplete({ text }: UpstreamAnswer): void {
    if (!this.#isStream) throw this.#refusedWithin(text) ?? engineError('The engine answered with something else than a stream.');
    if (!this.options.relay.finished) throw engineError('The engine ended its answer without saying why.');
  }

  #refusal({ status, text, header }: UpstreamAnswer): UpstreamRefusal {
    return this.#read({ status, body: parseRecord(text), text, retryAfter: header('retry-after') });
  }

  #read(answer: Omit<RefusingAnswer, 'sent'>): UpstreamRefusal {
    const refusal = readRefusal({ ...answer, sent: this.options.sent() });
    // The owner of the deployment cannot find what is wrong without the engine's own words.
    this.options.log.warn({ status: refusal.status, param: refusal.param, said: refusal.said }, 'upstream.refused');
    return refusal;
  }

  /**
   * Hands on once what one read of the socket brought. undici calls `bytes` for each HTTP chunk of it, and engines write a
   * chunk per token; all of these calls come before the next microtask.
   */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.options.relay.flush();
    });
  }

  readonly #take = (chunk: UpstreamChunk): void => {
    const { relay, log, answersAs } = this.options;
    if (this.#left) return;
    if (answersAs !== null && chunk.model !== null && chunk.model !== answersAs) throw engineError('The engine answers as another model.');
    if (isFailure(chunk)) {
      const failure = this.#failureOf(chunk);
      if (!relay.finished) throw failure;
      log.warn('upstream.failed_after_end');
    }
    relay.take(chunk);
    if (relay.overdue) this.#leave();
  };

  /** Some servers commit to a status before they look at the request; what they send first is then the refusal. */
  #failureOf({ error }: UpstreamChunk): ServiceError {
    const refusal = error === null ? null : this.#refusedWith(error);
    return refusal === null || this.options.relay.started ? engineError('The engine failed while it answered.') : refusal;
  }

  /** The refusal in an answer that is no stream, if it is one. */
  #refusedWithin(text: string): ServiceError | null {
    const { error } = parseRecord(text);
    return error == null ? null : this.#refusedWith(error);
  }

  /** @param error what stands where an answer would; its code is the status that it should have come with. */
  #refusedWith(error: unknown): ServiceError {
    const code = typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : Number.NaN;
    return errorOfRefusal(this.#read({ status: code >= 400 && code <= 599 ? code : 500, body: { error }, text: '' }));
  }

  #stageNow(): Stage {
    if (this.#chunks.done || this.#left) return 'drain';
    return this.options.relay.finished ? 'end' : 'answer';
  }

  /** Behind a complete answer a server may send comments for as long as it likes; they do not delay this. */
  #leaveAfter(ms: number): void {
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => this.options.controller.abort(OVER), ms);
  }

  /** The answer ended at a stop string that the upstream does not know of: closing the stream ends it there too. */
  #leave(): void {
    this.#left = true;
    this.options.controller.abort(OVER);
  }

  #asServiceError(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    if (error instanceof BrokenStreamError) return engineError('The engine sent something that is not a valid stream.', error);
    return engineError(this.options.relay.started ? 'The connection to the engine was lost.' : 'The engine cannot be reached.', error);
  }
}

const isFailure = ({ error, choices }: UpstreamChunk): boolean => error !== null || choices.some(({ finish }) => finish === 'failed');
