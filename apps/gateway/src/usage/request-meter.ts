import type { StreamEvent, StreamId, Usage, UsageRecord } from '@slipway/contracts';
import type { InferenceCall } from '../http/exchange.js';
import type { Charge } from '../limits/limit-book.js';

/** What a meter tells while its request runs, and when it is over. */
export interface MeterListener {
  /** @param isToldTwice its worker has counted it too, and tells where this process cannot. */
  readonly over: (meter: RequestMeter, isToldTwice: boolean) => void;
}

export interface MeteredRequest {
  readonly call: Pick<InferenceCall, 'caller' | 'deployment' | 'line'>;
  readonly streamId: StreamId;
  readonly rev: number;
  readonly api: UsageRecord['api'];
  readonly stream: boolean;
  /** What was set aside for it. */
  readonly charge: Charge;
}

/** Counts one request, from its opening to its end. */
export class RequestMeter {
  /** Of this process, in milliseconds; when it last told what it has. */
  toldAt = performance.now();
  readonly #startedAt: number;
  #attempt = 0;
  #ttftMs: number | null = null;
  #prompt = 0;
  #cached = 0;
  #completion = 0;
  #status = 'running';
  #isFinal = false;
  #isEstimate = true;

  constructor(
    private readonly request: MeteredRequest,
    private readonly listener: MeterListener,
  ) {
    this.#startedAt = Math.round(Date.now() - request.call.line.elapsed());
  }

  get id(): StreamId {
    return this.request.streamId;
  }

  /** Tokens so far, of the prompt and of the answer. */
  get tokens(): number {
    return this.#prompt + this.#completion;
  }

  accepted(attempt: number): void {
    this.#attempt = attempt;
  }

  /** One event that was relayed. */
  count(event: StreamEvent): void {
    if (event.k === 'start') {
      this.#prompt = event.prompt ?? 0;
      this.#cached = event.cached ?? 0;
    } else if (event.k !== 'fin') this.#completion += event.n;
  }

  firstOutput(ttftMs: number): void {
    this.#ttftMs = Math.round(ttftMs);
  }

  /**
   * The request is over; its record is on its way when this returns.
   * @param status `completed`, `cancelled` or the code of its error.
   * @param usage what the worker counted; null where it did not say: then what was relayed counts.
   */
  over(status: string, usage: Usage | null): void {
    if (this.#isFinal) return;
    this.#isFinal = true;
    this.#status = status;
    if (usage) {
      this.#prompt = usage.prompt;
      this.#cached = usage.cached;
      this.#completion = usage.completion;
      this.#isEstimate = usage.estimated ?? false;
    }
    this.request.charge.settle(this.tokens);
    this.listener.over(this, usage !== null);
  }

  record(): UsageRecord {
    const { call, streamId, rev, api, stream } = this.request;
    const { caller, deployment } = call;
    return {
      st: streamId,
      at: this.#attempt,
      final: this.#isFinal,
      acct: caller.account.id,
      key: caller.key.id,
      dep: deployment.facts.id,
      rev,
      ...(deployment.alias !== undefined && { alias: deployment.alias }),
      api,
      stream,
      started: this.#startedAt,
      ttft_ms: this.#ttftMs,
      ms: Math.round(call.line.elapsed()),
      prompt: this.#prompt,
      cached: this.#cached,
      completion: this.#completion,
      status: this.#status,
      ...(this.#isEstimate && this.tokens > 0 && { estimated: true }),
    };
  }
}
