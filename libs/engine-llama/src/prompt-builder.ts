import { type CanonicalRequest, ServiceError } from '@slipway/contracts';
import { bytesOf, type ChatTemplate, ControlTokenGuard, guardInput, type TemplateInput } from '@slipway/model-text';
import { type LlamaModel, LlamaVocabularyType, type Token } from 'node-llama-cpp';
import { endsInReasoning } from './reasoning-splitter.js';
import type { TemplateFacts } from './template-facts.js';
import { templateInput } from './template-input.js';
import { TurnBudget } from './turn-budget.js';

/** No tokenizer in use makes tokens longer than this on average, so longer text cannot fit. */
const BYTES_PER_TOKEN_MAX = 64;
/** What a token has in most texts, in bytes. */
const GUESSED_BYTES_PER_TOKEN = 4;
/** Characters tokenized at once: 5 to 10 ms, after which others get their turn. */
const SLICE_CHARS = 8_192;
/** Text is rendered so many times faster than it is tokenized. */
const RENDERED_PER_TOKENIZED = 8;
/** What a call of the tokenizer costs beside its text, in characters. */
const CALL_CHARS = 16;
/** How far a slice looks for a gap between words. */
const GAP_SEARCH_CHARS = 2_048;

const contextExceeded = (tokens: number, context: number, isEstimate = false): ServiceError =>
  new ServiceError(
    'context_length_exceeded',
    `This model's maximum context length is ${context} tokens, but the messages take ${isEstimate ? 'about ' : ''}${tokens} tokens. Shorten them.`,
    { param: 'messages', facts: { tokens, context, ...(isEstimate && { estimated: 1 }) } },
  );

/** Texts that the tokenizer would read as control tokens. */
function controlTexts(model: LlamaModel): string[] {
  const texts: string[] = [];
  const vocabulary = model.fileInfo.metadata.tokenizer.ggml.tokens;
  for (const token of model.iterateAllTokens()) {
    const text = vocabulary[token];
    if (text === undefined) continue;
    const { control, unknown, userDefined } = model.getTokenAttributes(token);
    // Some files declare their turn marks as user-defined tokens; the shape gives them away.
    if (control || unknown || (userDefined && /^<[|\uFF5C].*[|\uFF5C]>$/u.test(text))) texts.push(text);
  }
  return texts;
}

/** A prompt, ready to be evaluated. */
export interface Prompt {
  readonly tokens: readonly Token[];
  /** Whether the template began the answer's reasoning. */
  readonly inReasoning: boolean;
}

/** Turns conversations into the tokens of a prompt. */
export class PromptBuilder {
  readonly #guard: ControlTokenGuard;
  readonly #budget = new TurnBudget(SLICE_CHARS);

  constructor(
    private readonly model: LlamaModel,
    private readonly template: ChatTemplate,
    private readonly facts: TemplateFacts,
    /** Tokens that prompt and answer share. */
    private readonly context: number,
  ) {
    this.#guard = new ControlTokenGuard(controlTexts(model));
  }

  /**
   * The tokens of a prompt that leaves room for an answer.
   * @returns null when `stopped` said so in between.
   * @throws ServiceError `context_length_exceeded` when no room is left.
   */
  async build(request: CanonicalRequest, stopped: () => boolean): Promise<Prompt | null> {
    const prompt = await this.read(request, stopped);
    const tokens = prompt?.tokens.length ?? 0;
    if (tokens >= this.context) throw contextExceeded(tokens, this.context);
    return prompt;
  }

  /**
   * Renders and tokenizes a conversation, in slices, so that long ones do not hold up the process, however many come at once.
   * @returns null when `stopped` said so in between.
   * @throws ServiceError `context_length_exceeded` for text that is so far beyond the context that it is not read at all.
   */
  async read(request: CanonicalRequest, stopped: () => boolean): Promise<Prompt | null> {
    const input = templateInput(request, this.facts);
    const bytes = bytesOf(input);
    const guess = this.#guess(bytes);
    if (guess !== null) throw contextExceeded(guess, this.context, true);
    await this.#budget.spend(Math.ceil(bytes / RENDERED_PER_TOKENIZED));
    if (stopped()) return null;
    const parts = this.#render(input);
    const tokens = await this.#tokensOf(parts, stopped);
    const { reasoning } = this.facts;
    const begun = reasoning !== null && request.continue_final !== true && endsInReasoning(parts.at(-1) ?? '', reasoning);
    return tokens && { tokens, inReasoning: begun };
  }

  /** About how many tokens a prompt has that is so far beyond the context that it is not read; null for any other. @throws ServiceError as `read` */
  guess(request: CanonicalRequest): number | null {
    return this.#guess(bytesOf(templateInput(request, this.facts)));
  }

  #guess(bytes: number): number | null {
    return bytes > BYTES_PER_TOKEN_MAX * this.context ? Math.ceil(bytes / GUESSED_BYTES_PER_TOKEN) : null;
  }

  async #tokensOf(parts: readonly string[], stopped: () => boolean): Promise<Token[] | null> {
    const tokens: Token[] = [];
    for (const slice of this.#slices(parts)) {
      await this.#budget.spend(slice.length + CALL_CHARS);
      if (stopped()) return null;
      for (const token of this.#tokenize(slice, tokens.length === 0)) tokens.push(token);
    }
    const { bos, shouldPrependBosToken } = this.model.tokens;
    if (shouldPrependBosToken && bos !== null && tokens[0] !== bos) tokens.unshift(bos);
    return stopped() ? null : tokens;
  }

  #render(input: TemplateInput): string[] {
    const guarded = guardInput(input, this.#guard);
    return guarded.split(this.template.render(guarded.input));
  }

  /** Sliced from the front with fixed lengths, so that a longer conversation keeps the tokens of its beginning. */
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

  /** Between two words, where no tokenizer joins anything; without such a place, between two characters. */
  #sliceEnd(text: string, from: number): number {
    const gap = /([\p{L}\p{N}]) [\p{L}\p{N}]/u.exec(text.slice(from, from + GAP_SEARCH_CHARS));
    let end = from + (gap ? gap.index + (gap[1]?.length ?? 0) : 0);
    while (/[\uDC00-\uDFFF]/.test(text.charAt(end)) || this.#guard.isInside(text, end)) end -= 1;
    return end;
  }

  #tokenize(text: string, first: boolean): Token[] {
    // SentencePiece puts a space before every text it is given, and only the first one of a prompt may have it.
    const inside = !first && this.model.vocabularyType === LlamaVocabularyType.spm;
    return inside ? this.model.tokenize(text, true, 'trimLeadingSpace') : this.model.tokenize(text, true);
  }
}
