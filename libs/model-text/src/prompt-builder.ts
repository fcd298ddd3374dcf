import { type CanonicalRequest, ServiceError } from '@slipway/contracts';
import type { ChatTemplate, TemplateInput } from './chat-template.js';
import { ControlTokenGuard } from './control-token-guard.js';
import { bytesOf, guardInput } from './guarded-input.js';
import type { TemplateFacts } from './template-facts.js';
import { templateInput } from './template-input.js';
import { TurnBudget } from './turn-budget.js';

/** No tokenizer in use makes tokens longer than this on average, so longer text cannot fit. */
const BYTES_PER_TOKEN_MAX = 64;
/** Bytes per token in most texts. */
const GUESSED_BYTES_PER_TOKEN = 4;
/** Characters tokenized at once: 5 to 10 ms of the event loop. */
const SLICE_CHARS = 8_192;
/** Rendering text is this many times faster than tokenizing it. */
const RENDERED_PER_TOKENIZED = 8;
/** Fixed cost of one call of the tokenizer, in characters. */
const CALL_CHARS = 16;
/** How far a slice looks for a gap between words. */
const GAP_SEARCH_CHARS = 2_048;

const contextExceeded = (tokens: number, context: number, isEstimate = false): ServiceError =>
  new ServiceError(
    'context_length_exceeded',
    `This model's maximum context length is ${context} tokens, but the messages take ${isEstimate ? 'about ' : ''}${tokens} tokens. Shorten them.`,
    { param: 'messages', facts: { tokens, context, ...(isEstimate && { estimated: 1 }) } },
  );

/** The tokenizer of a model. An engine implements it. `Token` is its type of token numbers. */
export interface Tokenizer<Token extends number = number> {
  /** Texts that it reads as control tokens. */
  readonly controlTexts: readonly string[];
  /** Token that every prompt begins with; null = none. */
  readonly prefix: Token | null;
  /**
   * Tokens of a text. Texts of control tokens become control tokens.
   * @param first whether the text begins the prompt: some vocabularies add a space there.
   */
  tokenize(text: string, first: boolean): Token[];
}

/** A prompt, ready to be evaluated. */
export interface Prompt<Token extends number = number> {
  readonly tokens: readonly Token[];
  /** Text of the prompt's last part: what the template wrote before the answer begins. */
  readonly end: string;
}

/** Turns conversations into the tokens of a prompt. */
export class PromptBuilder<Token extends number = number> {
  readonly #tokenizer: Tokenizer<Token>;
  readonly #template: ChatTemplate;
  readonly #facts: TemplateFacts;
  readonly #context: number;
  readonly #guard: ControlTokenGuard;
  readonly #budget = new TurnBudget(SLICE_CHARS);

  /** @param context tokens that prompt and answer share. */
  constructor(tokenizer: Tokenizer<Token>, template: ChatTemplate, facts: TemplateFacts, context: number) {
    this.#tokenizer = tokenizer;
    this.#template = template;
    this.#facts = facts;
    this.#context = context;
    this.#guard = new ControlTokenGuard(tokenizer.controlTexts);
  }

  /**
   * The tokens of a prompt that leaves room for an answer.
   * @returns null when `stopped` returned true on the way.
   * @throws ServiceError `context_length_exceeded` when no room is left.
   */
  async build(request: CanonicalRequest, stopped: () => boolean): Promise<Prompt<Token> | null> {
    const prompt = await this.read(request, stopped);
    const tokens = prompt?.tokens.length ?? 0;
    if (tokens >= this.#context) throw contextExceeded(tokens, this.#context);
    return prompt;
  }

  /**
   * Renders and tokenizes a conversation of any length. Works in slices shared between all callers, so that the event loop
   * is never blocked for longer than about 10 ms.
   * @returns null when `stopped` returned true on the way.
   * @throws ServiceError `context_length_exceeded` for text so far beyond the context that it is not read.
   */
  async read(request: CanonicalRequest, stopped: () => boolean): Promise<Prompt<Token> | null> {
    const input = templateInput(request, this.#facts);
    const bytes = bytesOf(input);
    const guess = this.#guess(bytes);
    if (guess !== null) throw contextExceeded(guess, this.#context, true);
    await this.#budget.spend(Math.ceil(bytes / RENDERED_PER_TOKENIZED));
    if (stopped()) return null;
    const parts = this.#render(input);
    const tokens = await this.#tokensOf(parts, stopped);
    return tokens && { tokens, end: parts.at(-1) ?? '' };
  }

  /**
   * Approximate tokens of a prompt so far beyond the context that `read` refuses it; null for any other prompt.
   * @throws ServiceError for what the template has no place for.
   */
  guess(request: CanonicalRequest): number | null {
    return this.#guess(bytesOf(templateInput(request, this.#facts)));
  }

  #guess(bytes: number): number | null {
    return bytes > BYTES_PER_TOKEN_MAX * this.#context ? Math.ceil(bytes / GUESSED_BYTES_PER_TOKEN) : null;
  }

  async #tokensOf(parts: readonly string[], stopped: () => boolean): Promise<Token[] | null> {
    const tokens: Token[] = [];
    for (const slice of this.#slices(parts)) {
      await this.#budget.spend(slice.length + CALL_CHARS);
      if (stopped()) return null;
      for (const token of this.#tokenizer.tokenize(slice, tokens.length === 0)) tokens.push(token);
    }
    const { prefix } = this.#tokenizer;
    if (prefix !== null && tokens[0] !== prefix) tokens.unshift(prefix);
    return stopped() ? null : tokens;
  }

  #render(input: TemplateInput): string[] {
    const guarded = guardInput(input, this.#guard);
    return guarded.split(this.#template.render(guarded.input));
  }

  /** Slices of fixed length from the front: a longer conversation begins with the same tokens, which may be cached. */
  *#slices(parts: readonly string[]): Generator<string> {
    for (const part of parts) {
      let from = 0;
      while (part.length - from > SLICE_CHARS + GAP_SEARCH_CHARS) {
        const end = this.#sliceEnd(part, from + SLICE_CHARS);
        yield part.slice(from, end);
        from = end;
      }
      yield part.slice(from);
    }
  }

  /** A place between two words, where no tokenizer joins text; without one, a place between two characters. */
  #sliceEnd(text: string, from: number): number {
    const gap = /([\p{L}\p{N}]) [\p{L}\p{N}]/u.exec(text.slice(from, from + GAP_SEARCH_CHARS));
    let end = from + (gap ? gap.index + (gap[1]?.length ?? 0) : 0);
    while (/[\uDC00-\uDFFF]/.test(text.charAt(end)) || this.#guard.isInside(text, end)) end -= 1;
    return end;
  }
}
