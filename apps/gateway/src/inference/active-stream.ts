import type { ServerResponse } from 'node:http';
import { type EndFrame, type Incarnation, ServiceError, type StreamEvent, type StreamId, type Usage } from '@slipway/contracts';
import type { OpenStream, StreamSink } from '@slipway/stream-transport';
import { toServiceError } from '../http/error-response.js';
import type { InferenceContext } from '../http/request-context.js';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import { withClientFieldNames } from '../surfaces/shared/faults.js';
import type { FieldNames } from '../surfaces/surface.js';
import type { RequestMeter } from '../usage/request-meter.js';
import type { CutReason, RelayedResponse } from './relayed-response.js';

export interface ActiveStreamOptions {
  readonly context: InferenceContext;
  readonly streamId: StreamId;
  /** Null where nothing is generated. */
  readonly metrics: GatewayMetrics | null;
  /** Null where nothing is generated. */
  readonly meter: RequestMeter | null;
  /** Longest silence of the engine after its first output, in milliseconds. */
  readonly engineSilenceMs: number;
  readonly accepted: (worker: Incarnation) => void;
  /** The client's names of fields that a worker's error may name. */
  readonly names: FieldNames;
  /** The stream and its response are over. */
  readonly over: (stream: ActiveStream) => void;
}

const CLIENT_LEFT = 'client_left';

/** One stream between the transport and its client: relays and counts events, and ends both sides when one of them ends. */
export class ActiveStream implements StreamSink {
  readonly #settled: Promise<void>;
  #settle: () => void = () => undefined;
  #response: RelayedResponse | null = null;
  #open: OpenStream | null = null;
  #done = false;
  #closed = false;
  #usage: Usage | null = null;
  #lastEvent: number | null = null;

  constructor(private readonly options: ActiveStreamOptions) {
    const { context, streamId } = options;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    context.line.note({ stream_id: streamId });
    context.line.waitFor(this.#settled);
    context.response.once('close', () => this.#responseClosed());
  }

  get caller(): InferenceContext['caller'] {
    return this.options.context.caller;
  }

  /** Starts the stream. @param open opens it with this as its sink */
  begin(response: RelayedResponse, open: (sink: StreamSink) => OpenStream): void {
    this.#response = response;
    this.#open = open(this);
  }

  accepted(worker: Incarnation, attempt: number): void {
    this.options.context.line.note({ worker, attempts: attempt });
    this.options.meter?.accepted(attempt);
    this.options.accepted(worker);
  }

  relaxed(places: readonly string[]): void {
    if (!this.#done) setRelaxedHeader(this.options.context.response, places);
  }

  events(events: readonly StreamEvent[]): void {
    if (this.#done) return;
    if (this.#count(events)) {
      if (this.#lastEvent === null) this.#firstOutput();
      this.#lastEvent = performance.now();
    }
    try {
      this.#response?.events(events);
    } catch (error) {
      this.stop(toServiceError(error));
    }
  }

  end(end: EndFrame): void {
    if (this.#done) return;
    const usage = this.#noteUsage(end.usage);
    try {
      this.#response?.end(usage === end.usage ? end : { ...end, usage });
    } catch (error) {
      this.#finish(toServiceError(error));
      return;
    }
    this.#finish(null);
  }

  error(error: ServiceError): void {
    this.#finish(withClientFieldNames(error, this.options.names));
  }

  /** Ends a running stream with an error for its client. */
  stop(error: ServiceError): void {
    if (this.#done) return;
    void this.#cancel(error.code);
    this.#finish(error);
  }

  /** Aborts the response of a client that does not read; that ends the stream too. */
  cut(reason: CutReason): void {
    this.options.context.line.failedWith(reason);
    this.options.context.response.destroy();
  }

  tick(now: number): void {
    this.#response?.tick(now);
    if (this.#done || this.#lastEvent === null) return;
    if (now - this.#lastEvent > this.options.engineSilenceMs) {
      this.stop(new ServiceError('engine_error', 'The engine stopped responding in the middle of its answer.'));
    }
  }

  /** @returns true when the events include output */
  #count(events: readonly StreamEvent[]): boolean {
    const { meter, context } = this.options;
    let hasOutput = false;
    for (const event of events) {
      meter?.count(event);
      hasOutput ||= event.k !== 'start';
      if (event.k === 'start' && event.relaxed) this.relaxed(event.relaxed);
      if (event.k === 'fin') context.line.note({ finish: event.r });
    }
    return hasOutput;
  }

  #firstOutput(): void {
    const { context, meter, metrics } = this.options;
    const ttft = context.line.elapsed();
    context.line.note({ ttft_ms: ttft });
    meter?.firstOutput(ttft);
    metrics?.firstToken(ttft);
  }

  /** @returns the reported usage, limited to plausible values */
  #noteUsage(reported: Usage): Usage {
    const usage = this.options.meter?.believable(reported) ?? reported;
    this.#usage = usage;
    const { prompt, cached, completion } = usage;
    this.options.context.line.note({ prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion });
    this.options.metrics?.tokens({ prompt, cached, completion });
    return usage;
  }

  /** Cancels the stream at the worker, and waits for its usage. */
  async #cancel(reason: string): Promise<void> {
    this.options.context.line.note({ finish: 'cancelled' });
    const usage = await this.#open?.cancel(reason);
    if (usage) this.#noteUsage(usage);
    this.#conclude(reason === CLIENT_LEFT ? 'cancelled' : reason);
  }

  /** Completes the usage record and the log line. */
  #conclude(status: string): void {
    const { meter, metrics, context } = this.options;
    if (meter && !this.#usage && meter.tokens > 0) {
      const { prompt, cached, completion } = meter.record();
      context.line.note({ prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion });
      metrics?.tokens({ prompt, cached, completion });
    }
    meter?.over(status, this.#usage);
    metrics?.ended({
      deployment: context.deployment.facts.id,
      ms: context.line.elapsed(),
      firstTokenMs: context.line.fields.ttft_ms,
      completionTokens: context.line.fields.completion_tokens,
    });
    this.#settle();
  }

  #finish(error: ServiceError | null): void {
    if (this.#done) return;
    this.#done = true;
    const { line } = this.options.context;
    if (error) {
      line.failedWith(error.code);
      if (error.cause !== undefined) line.cause(error.cause);
      this.#response?.fail(error);
    }
    if (line.fields.finish !== 'cancelled') this.#conclude(error?.code ?? 'completed');
    this.#reportOver();
  }

  #responseClosed(): void {
    this.#closed = true;
    if (!this.#done) {
      this.#done = true;
      void this.#cancel(CLIENT_LEFT);
    }
    this.#reportOver();
  }

  /** Reports the end once the stream is done and the response closed. */
  #reportOver(): void {
    if (this.#done && this.#closed) this.options.over(this);
  }
}

/** Names the parts of a request's JSON schemas that the engine does not enforce. */
const RELAXED_HEADER = 'x-slipway-schema-relaxed';
const MAX_CHARS = 1_000;

/** JSON pointers joined by commas, percent-encoded for a header, with the number of those left out. */
export function relaxedText(places: readonly string[]): string {
  let text = '';
  for (const [i, place] of places.entries()) {
    const next = `${i === 0 ? '' : ', '}${place.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, encodeURIComponent)}`;
    if (text.length + next.length > MAX_CHARS) return `${text}${i === 0 ? '' : ', '}+${places.length - i} more`;
    text += next;
  }
  return text;
}

/** Sets the header, unless the response's headers have been sent. */
export function setRelaxedHeader(response: Pick<ServerResponse, 'headersSent' | 'setHeader'>, places: readonly string[]): void {
  if (!response.headersSent && places.length > 0) response.setHeader(RELAXED_HEADER, relaxedText(places));
}
