import {
  type PublicApi,
  type RefusedUsage,
  type StreamEvent,
  type StreamId,
  TOKENS_MAX,
  type Usage,
  USAGE_DURATION_MS_MAX,
  USAGE_RECORDS_MAX,
  type UsageRecord,
} from '@slipway/contracts';
import { type ClaimBounds, randomToken } from '@slipway/platform';
import type { InferenceContext } from '../http/request-context.js';
import type { Reservation } from '../limits/rate-limiter.js';

/** Receives the end of a metered request. */
export interface MeterListener {
  /** @param hasWorkerCount the worker has counted the request too, and reports it if this process dies */
  readonly over: (meter: RequestMeter, hasWorkerCount: boolean) => void;
}

/** Most tokens of a prompt, and of a choice without a limit: more than any model's context. */
const CONTEXT_TOKENS_MAX = 2 ** 24;
/** Most tokens of a UTF-16 code unit: it has at most three bytes in UTF-8, and no tokenizer splits a byte. */
const TOKENS_PER_UNIT = 3;
/** Allowance for the marks around 2,048 texts, in tokens. */
const UNSEEN_TOKENS = 8_192;

/** Milliseconds within the range of a record. */
const duration = (ms: number): number => Math.min(Math.round(ms), USAGE_DURATION_MS_MAX);

export interface MeteredRequest {
  readonly context: Pick<InferenceContext, 'caller' | 'deployment' | 'line'>;
  readonly streamId: StreamId;
  readonly rev: number;
  readonly api: PublicApi;
  readonly stream: boolean;
  /** Token limit of each choice; undefined = the context. */
  readonly maxTokens: number | undefined;
  /** Requested choices; 0 = nothing is generated. */
  readonly choices: number;
  /** UTF-16 code units of a request whose texts have the context each; absent = its prompt has one context. */
  readonly promptUnits?: number | undefined;
  /** Tokens reserved against its limits. */
  readonly reservation: Reservation;
}

/**
 * The most tokens that a request can use. An engine that ignores limits may generate more; only this process counts that.
 * @param context tokens per sequence; null = unknown.
 */
export function boundsOf(
  { maxTokens, choices, promptUnits }: Pick<MeteredRequest, 'maxTokens' | 'choices' | 'promptUnits'>,
  context: number | null,
): ClaimBounds {
  if (promptUnits !== undefined)
    return { prompt: Math.min(CONTEXT_TOKENS_MAX, UNSEEN_TOKENS + TOKENS_PER_UNIT * promptUnits), completion: 0 };
  const prompt = Math.min(context ?? CONTEXT_TOKENS_MAX, CONTEXT_TOKENS_MAX);
  return { prompt, completion: Math.min(TOKENS_MAX, choices * Math.min(maxTokens ?? prompt, prompt)) };
}

/** When a request began, in milliseconds since 1970. */
export const startedAt = ({ line }: Pick<InferenceContext, 'line'>): number => Math.round(Date.now() - line.elapsed());

/** Counts the usage of one request. */
export class RequestMeter {
  /** Time of its last report by this process's monotonic clock, in milliseconds. */
  reportedAt = performance.now();
  readonly #startedAt: number;
  #attempt = 0;
  #ttftMs: number | null = null;
  #prompt = 0;
  #cached = 0;
  #completion = 0;
  /** UTF-16 code units of the answer. */
  #units = 0;
  #status = 'running';
  #finish: string | undefined;
  #isFinal = false;
  #isEstimate = true;

  constructor(
    private readonly request: MeteredRequest,
    private readonly listener: MeterListener,
  ) {
    this.#startedAt = startedAt(request.context);
  }

  get id(): StreamId {
    return this.request.streamId;
  }

  /** Prompt and completion tokens so far. */
  get tokens(): number {
    return this.#prompt + this.#completion;
  }

  accepted(attempt: number): void {
    this.#attempt = attempt;
  }

  /** Counts a relayed event. */
  count(event: StreamEvent): void {
    if (event.k === 'start') {
      this.#prompt = Math.min(event.prompt ?? 0, CONTEXT_TOKENS_MAX);
      this.#cached = Math.min(event.cached ?? 0, this.#prompt);
    } else if (event.k === 'fin') {
      // Of several choices one that was cut says most.
      if (this.#finish !== 'length') this.#finish = event.r;
    } else if (event.k !== 'vec') {
      if ('x' in event) this.#units += event.x.length;
      this.#completion = Math.min(this.#completion + event.n, this.#completionMax());
    }
  }

  /** A worker's count, limited to what this request can have used; `estimated` where it was too high. */
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
   * Ends the request and hands its record over.
   * @param status `completed`, `cancelled` or the code of its error.
   * @param usage the worker's count, as `believable` returned it; null = none, then the relayed events count.
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
    this.request.reservation.settle(this.tokens);
    this.listener.over(this, usage !== null);
  }

  record(): UsageRecord {
    const { context, streamId, rev, api, stream } = this.request;
    const { caller, deployment } = context;
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
      ms: duration(context.line.elapsed()),
      prompt: this.#prompt,
      cached: this.#cached,
      completion: this.#completion,
      status: this.#status,
      ...(this.#finish !== undefined && { finish: this.#finish }),
      ...(this.#isEstimate && this.tokens > 0 && { estimated: true }),
    };
  }

  /** The most completion tokens. An engine may ignore the limit; then the length of its text bounds them. */
  #completionMax(): number {
    const { maxTokens = CONTEXT_TOKENS_MAX, choices } = this.request;
    const allowed = choices * Math.min(maxTokens, CONTEXT_TOKENS_MAX);
    return Math.min(TOKENS_MAX, Math.max(allowed, TOKENS_PER_UNIT * this.#units));
  }
}

/** Most different counts; further refused requests are only logged. */
const COUNTS_MAX = 5_000;

/** A refused request, as far as it is counted. */
export type RefusedRequest = Pick<RefusedUsage, 'acct' | 'key' | 'dep' | 'alias' | 'api' | 'status'>;

/** Counts refused requests until they are reported together. Counting one costs one map lookup. */
export class RefusedRequests {
  #counts = new Map<string, { readonly request: RefusedRequest; readonly started: number; requests: number }>();

  /** @param date milliseconds since the epoch */
  constructor(private readonly date: () => number) {}

  /** Counts one request. */
  add(request: RefusedRequest): void {
    const { key, dep = 0, alias = '', api, status } = request;
    const name = `${key} ${dep} ${alias} ${api} ${status}`;
    const count = this.#counts.get(name);
    if (count) count.requests += 1;
    else if (this.#counts.size < COUNTS_MAX) this.#counts.set(name, { request, started: this.date(), requests: 1 });
  }

  /** The counts since the last call, split into messages. */
  take(): RefusedUsage[][] {
    const counts = [...this.#counts.values()].map(({ request, started, requests }) => ({
      ...request,
      id: randomToken() as StreamId,
      started,
      requests,
    }));
    this.#counts = new Map();
    return Array.from({ length: Math.ceil(counts.length / USAGE_RECORDS_MAX) }, (_, i) =>
      counts.slice(i * USAGE_RECORDS_MAX, (i + 1) * USAGE_RECORDS_MAX),
    );
  }
}
