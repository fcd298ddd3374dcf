import {
  type PublicApi,
  type StreamEvent,
  type StreamId,
  TOKENS_MAX,
  type Usage,
  USAGE_DURATION_MS_MAX,
  type UsageRecord,
} from '@slipway/contracts';
import type { ClaimBounds } from '@slipway/platform';
import type { InferenceCall } from '../http/exchange.js';
import type { Charge } from '../limits/limit-book.js';

/** What a meter tells while its request runs, and when it is over. */
export interface MeterListener {
  /** @param isToldTwice its worker has counted it too, and tells where this process cannot. */
  readonly over: (meter: RequestMeter, isToldTwice: boolean) => void;
}

/** Tokens of a prompt, and of one choice that has no limit, at most: more than any model's context holds. */
const CONTEXT_TOKENS_MAX = 2 ** 24;
/** Tokens that a UTF-16 code unit can take at most: each is three bytes in UTF-8, and no tokenizer splits a byte. */
const TOKENS_PER_UNIT = 3;

/** A figure of milliseconds that a record can hold. */
const duration = (ms: number): number => Math.min(Math.round(ms), USAGE_DURATION_MS_MAX);

export interface MeteredRequest {
  readonly call: Pick<InferenceCall, 'caller' | 'deployment' | 'line'>;
  readonly streamId: StreamId;
  readonly rev: number;
  readonly api: PublicApi;
  readonly stream: boolean;
  /** Tokens that each choice may have at most; absent = as many as its context holds. */
  readonly maxTokens: number | undefined;
  /** Choices that were asked for. */
  readonly choices: number;
  /** What was set aside for it. */
  readonly charge: Charge;
}

/**
 * What a request can use at most. An engine that ignores limits may make more; that counts only where this process sees it.
 * @param context tokens per sequence; null where nobody has said.
 */
export function boundsOf({ maxTokens, choices }: Pick<MeteredRequest, 'maxTokens' | 'choices'>, context: number | null): ClaimBounds {
  const prompt = Math.min(context ?? CONTEXT_TOKENS_MAX, CONTEXT_TOKENS_MAX);
  return { prompt, completion: Math.min(TOKENS_MAX, choices * Math.min(maxTokens ?? prompt, prompt)) };
}

/** When a request came, in milliseconds since 1970. */
export const startedAt = ({ line }: Pick<InferenceCall, 'line'>): number => Math.round(Date.now() - line.elapsed());

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
  /** UTF-16 code units of the answer. */
  #units = 0;
  #status = 'running';
  #isFinal = false;
  #isEstimate = true;

  constructor(
    private readonly request: MeteredRequest,
    private readonly listener: MeterListener,
  ) {
    this.#startedAt = startedAt(request.call);
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
      this.#prompt = Math.min(event.prompt ?? 0, CONTEXT_TOKENS_MAX);
      this.#cached = Math.min(event.cached ?? 0, this.#prompt);
    } else if (event.k !== 'fin') {
      if ('x' in event) this.#units += event.x.length;
      this.#completion = Math.min(this.#completion + event.n, this.#completionMax());
    }
  }

  /** What a worker counted, as far as it can be true of this request; `estimated` where some of it cannot. */
  believable(usage: Usage): Usage {
    const completionMax = this.#completionMax();
    const { prompt, cached, completion, reasoning = 0 } = usage;
    if (prompt <= CONTEXT_TOKENS_MAX && cached <= prompt && completion <= completionMax && reasoning <= completion) return usage;
    const [prompts, completions] = [Math.min(prompt, CONTEXT_TOKENS_MAX), Math.min(completion, completionMax)];
    return {
      prompt: prompts,
      cached: Math.min(cached, prompts),
      completion: completions,
      ...(usage.reasoning !== undefined && { reasoning: Math.min(reasoning, completions) }),
      estimated: true,
    };
  }

  firstOutput(ttftMs: number): void {
    this.#ttftMs = duration(ttftMs);
  }

  /**
   * The request is over; its record is on its way when this returns.
   * @param status `completed`, `cancelled` or the code of its error.
   * @param usage what the worker counted, as `believable` returned it; null where it did not say: then what was relayed counts.
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
      ms: duration(call.line.elapsed()),
      prompt: this.#prompt,
      cached: this.#cached,
      completion: this.#completion,
      status: this.#status,
      ...(this.#isEstimate && this.tokens > 0 && { estimated: true }),
    };
  }

  /** Limits may be ignored by an engine; then the text that it sent says what it can have been. */
  #completionMax(): number {
    const { maxTokens = CONTEXT_TOKENS_MAX, choices } = this.request;
    const allowed = choices * Math.min(maxTokens, CONTEXT_TOKENS_MAX);
    return Math.min(TOKENS_MAX, Math.max(allowed, TOKENS_PER_UNIT * this.#units));
  }
}
