import { type StreamEvent, TOKENS_MAX, type Usage } from '@slipway/contracts';
import { estimateTokens, type RequestFacts } from '@slipway/engine';

/** Allowance for the chat template, its markup and hidden parts of the answer, in tokens. */
const UNSEEN_TOKENS = 65_536;
/** Tokens of the largest image. */
const IMAGE_TOKENS_MAX = 65_536;
/** Most tokens per UTF-16 code unit: it has at most three bytes in UTF-8, and no tokenizer splits a byte. */
const TOKENS_PER_UNIT = 3;

/** Bounds of an engine's token counts. */
export interface EngineBounds {
  /** Tokens per sequence; null = unknown. */
  readonly context: number | null;
  /** Most tokens of an answer whose request sets no limit; null = the rest of the context. */
  readonly defaultMaxTokens: number | null;
}

/** Checks an engine's token counts of one request against its text, its limits and the relayed events. */
export class UsageCheck {
  /** Relayed so far: tokens as the events count them, and UTF-16 code units. */
  #tokens = 0;
  #units = 0;
  #promptMax: number | undefined;

  constructor(
    private readonly request: RequestFacts,
    private readonly bounds: EngineBounds,
  ) {}

  /** Tokens of the answer relayed so far. */
  get relayed(): number {
    return this.#tokens;
  }

  /** Counts one event. @returns it, with an estimate where its prompt count cannot be true */
  event(event: StreamEvent): StreamEvent {
    if (event.k === 'start') return this.#start(event);
    if (event.k === 'fin' || event.k === 'vec') return event;
    if ('x' in event) this.#units += event.x.length;
    this.#tokens += event.n;
    return event;
  }

  /** The final usage: counts that cannot be true are replaced by estimates, marked with `estimated`. */
  usage(reported: Usage): Usage {
    const isPrompt = this.#isPrompt(reported.prompt);
    const isCompletion = isCount(reported.completion) && reported.completion <= this.#completionMax();
    const prompt = isPrompt ? reported.prompt : estimateTokens(this.request);
    const completion = isCompletion ? reported.completion : Math.min(this.#tokens, TOKENS_MAX);
    const cached = isCount(reported.cached) ? Math.min(reported.cached, prompt) : 0;
    const reasoning =
      reported.reasoning !== undefined && isCount(reported.reasoning) ? Math.min(reported.reasoning, completion) : undefined;
    return {
      prompt,
      cached,
      completion,
      ...(reasoning !== undefined && { reasoning }),
      ...((reported.estimated || !isPrompt || !isCompletion) && { estimated: true }),
    };
  }

  #start(event: Extract<StreamEvent, { k: 'start' }>): StreamEvent {
    const { prompt = 0, cached = 0 } = event;
    if (this.#isPrompt(prompt) && isCount(cached) && cached <= prompt) return event;
    return { k: 'start', prompt: this.#isPrompt(prompt) ? prompt : estimateTokens(this.request) };
  }

  #isPrompt(tokens: number): boolean {
    // Small counts are accepted without measuring the text, which may be long.
    return isCount(tokens) && tokens <= (this.bounds.context ?? TOKENS_MAX) && (tokens <= UNSEEN_TOKENS || tokens <= this.#textMax());
  }

  /** Most tokens that a prompt of this length can have. */
  #textMax(): number {
    const { request } = this;
    this.#promptMax ??= Math.min(TOKENS_MAX, UNSEEN_TOKENS + request.promptBytes + request.images * IMAGE_TOKENS_MAX);
    return this.#promptMax;
  }

  /** Most tokens of the answer. Some engines ignore the limit, so the relayed text may raise it. */
  #completionMax(): number {
    const { maxTokens: wanted, choices: n } = this.request;
    const limit = (wanted === undefined ? this.bounds.defaultMaxTokens : wanted) ?? this.bounds.context;
    const each = limit === null ? UNSEEN_TOKENS : Math.min(limit, this.bounds.context ?? limit);
    const seen = TOKENS_PER_UNIT * this.#units + (limit === null ? n * UNSEEN_TOKENS : 0);
    return Math.min(TOKENS_MAX, Math.max(n * each, seen, this.#tokens));
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= TOKENS_MAX;
