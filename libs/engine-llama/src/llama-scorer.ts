import type { BaseShape } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { ChatTemplate, ControlTokenGuard, TemplateFacts, type Tokenizer } from '@slipway/model-text';
import type { Logger } from '@slipway/platform';
import type { LlamaContext, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import { assertAdapterFits } from './adapter-file.js';
import { LlamaTokenizer } from './llama-tokenizer.js';
import { type LoadedModel, loadModel } from './load-model.js';
import { modelShape } from './model-facts.js';
import { type ModelHashes, modelHashes } from './model-hashes.js';
import { tokenLogprobs } from './token-logprobs.js';

/** Of the context that is made when the model is loaded. */
const FIRST_CONTEXT = 256;
const BATCH_TOKENS = 512;

/** A model file to score with. */
export interface ScorerOptions {
  readonly path: string;
  readonly threads: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** How a model makes prompts, for those that render them outside of an engine. */
export interface ModelTexts {
  readonly architecture: string;
  readonly template: ChatTemplate;
  readonly facts: TemplateFacts;
  readonly tokenizer: Tokenizer;
  readonly guard: ControlTokenGuard;
  /** Texts of the tokens that end an answer. */
  readonly ends: readonly string[];
  readonly hashes: ModelHashes;
  /** Null where the file does not say. */
  readonly shape: BaseShape | null;
}

/** An answer with temperature 0. */
export interface GreedyAnswer {
  /** Without the token that ended it. */
  readonly tokens: readonly number[];
  readonly text: string;
  /** The token that ended it; null = it reached its bound. */
  readonly end: number | null;
}

/** Scores texts on one adapter, or on the base alone. */
export interface AdapterScorer {
  /**
   * Log probability of each token from `from` on, given all before it, in the raw distribution.
   * @throws RangeError for a text that is longer than the context, or without a token before `from`
   */
  logprobs(tokens: readonly number[], from: number): Promise<number[]>;
  /** Answers a prompt with at most `most` tokens. */
  answer(prompt: readonly number[], most: number): Promise<GreedyAnswer>;
  dispose(): Promise<void>;
}

/** A GGUF model that scores given texts, as it is served. Not for requests: it evaluates one text at a time. */
export class LlamaScorer {
  readonly texts: ModelTexts;

  private constructor(
    private readonly loaded: LoadedModel,
    private readonly options: ScorerOptions,
  ) {
    this.texts = textsOf(loaded.base.model);
  }

  /** @throws EngineLoadError when the file cannot be loaded. */
  static async open(options: ScorerOptions): Promise<LlamaScorer> {
    const loaded = await loadModel({ ...options, context: FIRST_CONTEXT, sequences: 1, gpu: false, onProgress: () => undefined });
    return new LlamaScorer(loaded, options);
  }

  /** Tokens that the model was made for. */
  get trainedContext(): number {
    return this.loaded.base.model.trainContextSize;
  }

  /**
   * Scores with an adapter, or with the base alone.
   * @param adapter path of a LoRA GGUF; null = none
   * @param context tokens of the longest text with its answer; at most those that the model was made for
   * @param scale share of the adapter's weights that is applied
   * @throws EngineLoadError for a file that is no adapter of this model's architecture and shapes, and without memory
   */
  async scoring(adapter: string | null, context: number, scale = 1): Promise<AdapterScorer> {
    const { model } = this.loaded.base;
    const contextSize = Math.min(context, model.trainContextSize);
    const made = await model
      .createContext({
        contextSize,
        batchSize: Math.min(BATCH_TOKENS, contextSize),
        sequences: 1,
        threads: this.options.threads,
        failedCreationRemedy: false,
        ...(adapter !== null && { lora: { adapters: [{ filePath: adapter, scale }] } }),
      })
      .catch((cause: unknown) => {
        if (adapter !== null) throw new EngineLoadError('model_invalid', 'The adapter does not fit this model.', { cause });
        throw new EngineLoadError('out_of_memory', 'The worker has too little memory to score with this model.', { cause });
      });
    return new ContextScorer(model, made);
  }

  /**
   * Whether a file is an adapter of this model: architecture, shapes, rank, and numbers that are numbers.
   * @throws EngineLoadError `adapter_mismatch`
   */
  assertFits(adapter: string): Promise<void> {
    const { templateSha256, tokenizerSha256 } = this.texts.hashes;
    const facts = { template_sha256: templateSha256, tokenizer_sha256: tokenizerSha256 };
    return assertAdapterFits(adapter, this.loaded.base.model.fileInfo, facts);
  }

  /** Frees the memory of the model. What scores must be disposed before. */
  dispose(): Promise<void> {
    return this.loaded.dispose();
  }
}

class ContextScorer implements AdapterScorer {
  readonly #sequence: LlamaContextSequence;

  constructor(
    private readonly model: LlamaModel,
    private readonly context: LlamaContext,
  ) {
    this.#sequence = context.getSequence();
  }

  dispose(): Promise<void> {
    return this.context.dispose();
  }

  logprobs(tokens: readonly number[], from: number): Promise<number[]> {
    return tokenLogprobs(this.#sequence, tokens as Token[], from);
  }

  async answer(prompt: readonly number[], most: number): Promise<GreedyAnswer> {
    await this.#sequence.clearHistory();
    const tokens: Token[] = [];
    let end: Token | null = null;
    const room = Math.min(most, this.#sequence.contextSize - prompt.length);
    for await (const token of this.#sequence.evaluate([...prompt] as Token[], { temperature: 0, yieldEogToken: true })) {
      if (this.model.isEogToken(token)) {
        end = token;
        break;
      }
      tokens.push(token);
      if (tokens.length >= room) break;
    }
    return { tokens, text: this.model.detokenize(tokens, true), end };
  }
}

function textsOf(model: LlamaModel): ModelTexts {
  const { metadata } = model.fileInfo;
  const { chat_template: source } = metadata.tokenizer;
  const template = ChatTemplate.parse(source, { bos: model.tokens.bosString ?? '', eos: model.tokens.eosString ?? '' });
  const tokenizer = new LlamaTokenizer(model);
  return {
    architecture: metadata.general.architecture,
    template,
    facts: new TemplateFacts(template),
    tokenizer,
    guard: new ControlTokenGuard(tokenizer.controlTexts),
    ends: [...endTexts(model), ...template.ends],
    hashes: modelHashes(metadata.tokenizer),
    shape: modelShape(metadata),
  };
}

function endTexts(model: LlamaModel): string[] {
  const vocabulary = model.fileInfo.metadata.tokenizer.ggml.tokens;
  return [...model.iterateAllTokens()].flatMap((token) => (model.isEogToken(token) ? (vocabulary[token] ?? []) : []));
}
