import { type StreamEvent, TOKENS_MAX, type Usage } from '@slipway/contracts';
import { estimateTokens, type RequestFacts } from '@slipway/engine';

/** What a chat template, its markup and an answer that nobody sees may take beyond the text, in tokens. */
const UNSEEN_TOKENS = 65_536;
/** Tokens of the largest image. */
const IMAGE_TOKENS_MAX = 65_536;
/** Tokens that a UTF-16 code unit can take at most: each is three bytes in UTF-8, and no tokenizer splits a byte. */
const TOKENS_PER_UNIT = 3;

/** What bounds the figures of an engine. */
export interface EngineBounds {
  /** Tokens per sequence; null where nobody knows. */
  readonly context: number | null;
  /** Tokens of an answer whose request names no limit; null = the room left. */
  readonly defaultMaxTokens: number | null;
}

/** Decides how far the figures of an engine can be true of one request: its text, its limits, and what was relayed of its answer. */
export class UsageBelief {
  /** What passed by, in tokens as the engine's events count them and in UTF-16 code units. */
  #tokens = 0;
  #units = 0;
  #promptMax: number | undefined;

  constructor(
    private readonly request: RequestFacts,
    private readonly bounds: EngineBounds,
  ) {}

  /** Tokens of the answer that passed by. */
  get relayed(): number {
    return this.#tokens;
  }

  /** One event of the answer: as it came, or with an estimate where its figure of the prompt cannot be true. */
  event(event: StreamEvent): StreamEvent {
    if (event.k === 'start') return this.#start(event);
    if (event.k === 'fin') return event;
    if ('x' in event) this.#units += event.x.length;
    this.#tokens += event.n;
    return event;
  }

  /** The figures of the end; those that cannot be true are replaced by estimates, and `estimated` says so. */
  usage(told: Usage): Usage {
    const isPrompt = this.#isPrompt(told.prompt);
    const isCompletion = isCount(told.completion) && told.completion <= this.#completionMax();
    const prompt = isPrompt ? told.prompt : estimateTokens(this.request);
    const completion = isCompletion ? told.completion : Math.min(this.#tokens, TOKENS_MAX);
    const cached = isCount(told.cached) ? Math.min(told.cached, prompt) : 0;
    const reasoning = told.reasoning !== undefined && isCount(told.reasoning) ? Math.min(told.reasoning, completion) : undefined;
    return {
      prompt,
      cached,
      completion,
      ...(reasoning !== undefined && { reasoning }),
      ...((told.estimated || !isPrompt || !isCompletion) && { estimated: true }),
    };
  }

  #start(event: Extract<StreamEvent, { k: 'start' }>): StreamEvent {
    const { prompt = 0, cached = 0 } = event;
    if (this.#isPrompt(prompt) && isCount(cached) && cached <= prompt) return event;
    return { k: 'start', prompt: this.#isPrompt(prompt) ? prompt : estimateTokens(this.request) };
  }

  #isPrompt(tokens: number): boolean {
    // What is below needs no look at the text, which may be long.
    return isCount(tokens) && tokens <= (this.bounds.context ?? TOKENS_MAX) && (tokens <= UNSEEN_TOKENS || tokens <= this.#textMax());
  }

  /** Tokens that the prompt can have by its length. */
  #textMax(): number {
    const { request } = this;
    this.#promptMax ??= Math.min(TOKENS_MAX, UNSEEN_TOKENS + request.promptBytes + request.images * IMAGE_TOKENS_MAX);
    return this.#promptMax;
  }

  /** Some engines ignore limits: then the text that they sent says what it can have been. */
  #completionMax(): number {
    const { maxTokens: wanted, choices: n } = this.request;
    const limit = wanted ?? this.bounds.defaultMaxTokens ?? this.bounds.context;
    const each = limit === null ? UNSEEN_TOKENS : Math.min(limit, this.bounds.context ?? limit);
    const seen = TOKENS_PER_UNIT * this.#units + (limit === null ? n * UNSEEN_TOKENS : 0);
    return Math.min(TOKENS_MAX, Math.max(n * each, seen, this.#tokens));
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= TOKENS_MAX;
