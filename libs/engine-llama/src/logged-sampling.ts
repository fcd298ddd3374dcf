import {
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type SequenceEvaluateOptions,
  type Token,
} from 'node-llama-cpp';
import { priorityOf } from './batch-order.js';

/** A model's distribution of the next token. */
export interface NextToken {
  /** Raw logits: the highest first, then that of the chosen token. */
  readonly logits: ReadonlyMap<Token, number>;
  /** Sum of `exp(logit - highest)` over the whole vocabulary. */
  readonly totalWeight: number;
}

/** A token chosen by llama.cpp's samplers, with the distribution where requested. */
export interface LoggedToken {
  readonly token: Token;
  readonly next: NextToken | null;
}

/** How tokens are chosen and what is reported about them. */
export interface LoggedSamplingOptions {
  readonly options: SequenceEvaluateOptions;
  /** The grammar that the next token must follow; called once per token. */
  readonly grammar: () => LlamaGrammarEvaluationState | undefined;
  /** Number of highest logits to report; null = none. */
  readonly top: number | null;
  /** Tokens that must not come next. */
  readonly forbidden: () => ReadonlySet<Token>;
  /** Tokens that end an answer. */
  readonly endTokens: ReadonlySet<Token>;
}

interface AddonSampler {
  applyConfig(config: object): void;
  dispose(): void;
}

/** [token, probabilities, confidence, token and logit in turn, total weight] */
type SampleResult = readonly [number, unknown, unknown, readonly number[] | undefined, number | undefined];

/**
 * Parts of node-llama-cpp that its types leave out. The version is pinned, and the tests of log probabilities fail when these parts
 * change.
 */
interface SequenceParts {
  readonly _context: {
    readonly _ctx: {
      sampleToken(
        index: number,
        sampler: AddonSampler,
        probabilities: boolean,
        confidence: boolean,
        logits: unknown,
        total: boolean,
      ): Promise<SampleResult>;
    };
  };
  readonly _tokenMeter: unknown;
  readonly _contextShift: object;
  readonly _takeIntervalCheckpointIfNeededAfterBatch: unknown;
  _resolveSamplerConfig(options: object): { readonly tokenBiasKeys?: Uint32Array; readonly tokenBiasValues?: Float32Array };
  _decodeTokens<T>(
    tokens: readonly Token[],
    logits: readonly (boolean | undefined)[],
    priority: number,
    meter: unknown,
    shift: object,
    map: (batchIndex: number) => Promise<T>,
    afterBatch: unknown,
  ): Promise<readonly (T | undefined)[]>;
}
interface ModelParts {
  readonly _model: unknown;
  readonly _llama: {
    readonly _bindings: {
      readonly AddonSampler: {
        new (model: unknown): AddonSampler;
        canBeNextTokenForGrammarEvaluationState(state: unknown, token: Token): boolean;
      };
    };
  };
}

/**
 * Chooses tokens with llama.cpp's own samplers, so that a seed gives the same answer as without it. In addition to the published
 * interface it reports the raw logits of the step, before biases, cut-offs and grammar, and it can forbid end tokens. The sequence
 * must not be used by other code meanwhile.
 */
export class LoggedSampling {
  readonly #sequence: SequenceParts;
  readonly #priority: number;
  readonly #model: ModelParts;
  readonly #chooser: AddonSampler;
  readonly #reader: AddonSampler;

  constructor(
    sequence: LlamaContextSequence,
    model: LlamaModel,
    private readonly how: LoggedSamplingOptions,
  ) {
    this.#sequence = sequence as unknown as SequenceParts;
    this.#priority = priorityOf(sequence);
    this.#model = model as unknown as ModelParts;
    const { AddonSampler } = this.#model._llama._bindings;
    this.#chooser = new AddonSampler(this.#model._model);
    this.#reader = new AddonSampler(this.#model._model);
  }

  /** Evaluates these tokens and chooses the one that follows. */
  async after(tokens: readonly Token[]): Promise<LoggedToken> {
    const logits: (boolean | undefined)[] = Array.from({ length: tokens.length });
    logits[tokens.length - 1] = true;
    const { _tokenMeter: meter, _contextShift: shift, _takeIntervalCheckpointIfNeededAfterBatch: afterBatch } = this.#sequence;
    const choose = (index: number): Promise<LoggedToken> => this.#choose(index);
    const results = await this.#sequence._decodeTokens(tokens, logits, this.#priority, meter, shift, choose, afterBatch);
    const last = results.at(-1);
    if (!last) throw new Error('llama.cpp chose no token.');
    return last;
  }

  close(): void {
    this.#chooser.dispose();
    this.#reader.dispose();
  }

  async #choose(index: number): Promise<LoggedToken> {
    const state = this.how.grammar();
    const forbidden = await this.#forbidden(index, state);
    this.#chooser.applyConfig(this.#config(this.how.options, state, forbidden));
    const [token] = await this.#sample(index, this.#chooser, false);
    if (token === -1) throw new Error('No token may follow.');
    const chosen = token as Token;
    return { token: chosen, next: this.how.top === null ? null : await this.#read(index, chosen, this.how.top) };
  }

  /** The forbidden tokens; none where the grammar allows only the end. */
  async #forbidden(index: number, state: LlamaGrammarEvaluationState | undefined): Promise<ReadonlySet<Token>> {
    const forbidden = this.how.forbidden();
    if (forbidden.size === 0 || !state) return forbidden;
    return (await this.#mayGoOn(index, state)) ? forbidden : new Set();
  }

  async #mayGoOn(index: number, state: LlamaGrammarEvaluationState): Promise<boolean> {
    const { AddonSampler } = this.#model._llama._bindings;
    const [end] = this.how.endTokens;
    const { _state: native } = state as unknown as { readonly _state: unknown };
    if (end === undefined || !AddonSampler.canBeNextTokenForGrammarEvaluationState(native, end)) return true;
    this.#reader.applyConfig(this.#config({ temperature: 0 }, new LlamaGrammarEvaluationState(state), this.how.endTokens));
    try {
      const [, , , logits = []] = await this.#sample(index, this.#reader, [[], false, false, false, 1]);
      return (logits[1] ?? -Infinity) > -Infinity;
    } catch {
      // The grammar accepts none of the remaining tokens.
      return false;
    }
  }

  async #read(index: number, chosen: Token, top: number): Promise<NextToken> {
    this.#reader.applyConfig(this.#config({ temperature: 0 }, undefined, new Set()));
    const [, , , flat, totalWeight] = await this.#sample(index, this.#reader, [[chosen], false, false, false, Math.max(1, top)]);
    if (!flat || totalWeight === undefined) throw new Error('llama.cpp gave no logits.');
    const logits = new Map<Token, number>();
    for (let i = 0; i < flat.length; i += 2) logits.set(flat[i] as Token, flat[i + 1] ?? -Infinity);
    return { logits, totalWeight };
  }

  async #sample(index: number, sampler: AddonSampler, logits: unknown): Promise<SampleResult> {
    return this.#sequence._context._ctx.sampleToken(index, sampler, false, false, logits, true);
  }

  #config(options: SequenceEvaluateOptions, state: LlamaGrammarEvaluationState | undefined, forbidden: ReadonlySet<Token>): object {
    const config = this.#sequence._resolveSamplerConfig({ ...options, grammarEvaluationState: state });
    if (forbidden.size === 0) return config;
    const { tokenBiasKeys = [], tokenBiasValues = [] } = config;
    return {
      ...config,
      tokenBiasKeys: Uint32Array.from([...tokenBiasKeys, ...forbidden]),
      tokenBiasValues: Float32Array.from([...tokenBiasValues, ...Array.from(forbidden, () => -Infinity)]),
    };
  }
}
