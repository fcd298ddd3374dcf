import { type EndFrame, type Incarnation, ServiceError, type StreamEvent, type StreamId, type Usage } from '@slipway/contracts';
import type { OpenStream, StreamSink } from '@slipway/stream-transport';
import { toServiceError } from '../http/answer.js';
import type { InferenceCall } from '../http/exchange.js';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import { inClientsWords } from '../surfaces/shared/faults.js';
import type { FieldNames } from '../surfaces/surface.js';
import type { RequestMeter } from '../usage/request-meter.js';
import type { Answer, CutReason } from './answer.js';
import { noteRelaxed } from './relaxed-header.js';

export interface ActiveStreamOptions {
  readonly call: InferenceCall;
  readonly streamId: StreamId;
  /** Null where nothing is generated. */
  readonly metrics: GatewayMetrics | null;
  /** Null where nothing is generated. */
  readonly meter: RequestMeter | null;
  /** Silence after the first output that is taken for the engine's death, in milliseconds. */
  readonly engineSilenceMs: number;
  readonly accepted: (worker: Incarnation) => void;
  /** What the client called fields that a worker's error may name. */
  readonly names: FieldNames;
  /** The stream and its response are over. */
  readonly over: (stream: ActiveStream) => void;
}

const CLIENT_LEFT = 'client_left';

/**
 * One generation between the transport and its client: hands events on, counts, and ends both sides together, whichever
 * ends first.
 */
export class ActiveStream implements StreamSink {
  readonly #settled: Promise<void>;
  #settle: () => void = () => undefined;
  #answer: Answer | null = null;
  #open: OpenStream | null = null;
  #done = false;
  #closed = false;
  #usage: Usage | null = null;
  #lastEvent: number | null = null;

  constructor(private readonly options: ActiveStreamOptions) {
    const { call, streamId } = options;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    call.line.note({ stream_id: streamId });
    call.line.waitFor(this.#settled);
    call.response.once('close', () => this.#responseClosed());
  }

  get caller(): InferenceCall['caller'] {
    return this.options.call.caller;
  }

  /** Begins: `open` starts the stream with this as its sink. */
  begin(answer: Answer, open: (sink: StreamSink) => OpenStream): void {
    this.#answer = answer;
    this.#open = open(this);
  }

  accepted(worker: Incarnation, attempt: number): void {
    this.options.call.line.note({ worker, attempts: attempt });
    this.options.meter?.accepted(attempt);
    this.options.accepted(worker);
  }

  relaxed(places: readonly string[]): void {
    if (!this.#done) noteRelaxed(this.options.call.response, places);
  }

  events(events: readonly StreamEvent[]): void {
    if (this.#done) return;
    if (this.#count(events)) {
      if (this.#lastEvent === null) this.#firstOutput();
      this.#lastEvent = performance.now();
    }
    try {
      this.#answer?.events(events);
    } catch (error) {
      this.stop(toServiceError(error));
    }
  }

  end(end: EndFrame): void {
    if (this.#done) return;
    const usage = this.#noteUsage(end.usage);
    try {
      this.#answer?.end(usage === end.usage ? end : { ...end, usage });
    } catch (error) {
      this.#finish(toServiceError(error));
      return;
    }
    this.#finish(null);
  }

  error(error: ServiceError): void {
    this.#finish(inClientsWords(error, this.options.names));
  }

  /** Ends a running stream with an error that its client sees. */
  stop(error: ServiceError): void {
    if (this.#done) return;
    void this.#cancel(error.code);
    this.#finish(error);
  }

  /** Ends a running stream whose client does not listen. */
  cut(reason: CutReason): void {
    this.options.call.line.blame(reason);
    this.options.call.response.destroy();
  }

  tick(now: number): void {
    this.#answer?.tick(now);
    if (this.#done || this.#lastEvent === null) return;
    if (now - this.#lastEvent > this.options.engineSilenceMs) {
      this.stop(new ServiceError('engine_error', 'The model fell silent in the middle of its answer.'));
    }
  }

  /** @returns whether there is output among them. */
  #count(events: readonly StreamEvent[]): boolean {
    const { meter, call } = this.options;
    let hasOutput = false;
    for (const event of events) {
      meter?.count(event);
      hasOutput ||= event.k !== 'start';
      if (event.k === 'start' && event.relaxed) this.relaxed(event.relaxed);
      if (event.k === 'fin') call.line.note({ finish: event.r });
    }
    return hasOutput;
  }

  #firstOutput(): void {
    const { call, meter, metrics } = this.options;
    const ttft = call.line.elapsed();
    call.line.note({ ttft_ms: ttft });
    meter?.firstOutput(ttft);
    metrics?.firstToken(ttft);
  }

  /** @returns what is believed of it. */
  #noteUsage(told: Usage): Usage {
    const usage = this.options.meter?.believable(told) ?? told;
    this.#usage = usage;
    const { prompt, cached, completion } = usage;
    this.options.call.line.note({ prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion });
    this.options.metrics?.tokens({ prompt, cached, completion });
    return usage;
  }

  /** Tells the worker to stop, and waits for what it had counted. */
  async #cancel(why: string): Promise<void> {
    this.options.call.line.note({ finish: 'cancelled' });
    const usage = await this.#open?.cancel(why);
    if (usage) this.#noteUsage(usage);
    this.#conclude(why === CLIENT_LEFT ? 'cancelled' : why);
  }

  /** All is known of the generation: whoever counts it may. */
  #conclude(status: string): void {
    const { meter, metrics, call } = this.options;
    if (meter && !this.#usage && meter.tokens > 0) {
      const { prompt, cached, completion } = meter.record();
      call.line.note({ prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion });
      metrics?.tokens({ prompt, cached, completion });
    }
    meter?.over(status, this.#usage);
    this.#settle();
  }

  #finish(error: ServiceError | null): void {
    if (this.#done) return;
    this.#done = true;
    const { line } = this.options.call;
    if (error) {
      line.blame(error.code);
      if (error.cause !== undefined) line.cause(error.cause);
      this.#answer?.fail(error);
    }
    if (line.fields.finish !== 'cancelled') this.#conclude(error?.code ?? 'completed');
    this.#leave();
  }

  #responseClosed(): void {
    this.#closed = true;
    if (!this.#done) {
      this.#done = true;
      void this.#cancel(CLIENT_LEFT);
    }
    this.#leave();
  }

  /** A response that is still being taken is watched until it is gone. */
  #leave(): void {
    if (this.#done && this.#closed) this.options.over(this);
  }
}
