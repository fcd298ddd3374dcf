import { randomInt } from 'node:crypto';
import type { Sampling, TokenLogprob } from '@slipway/contracts';
import type { LlamaContextSequence, LlamaGrammarEvaluationState, LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import { LoggedSampling } from './logged-sampling.js';
import { samplingOptions, type SamplingDefaults } from './sampling-options.js';
import type { TokenBytes } from './token-bytes.js';
import { describeLogprob } from './token-logprob.js';

const SEEDS = 2 ** 32;

/** A generated token. */
export interface SampledToken {
  readonly token: Token;
  readonly logprob?: TokenLogprob;
}

/** The tokens of one choice, one after the other. */
export interface TokenSource {
  /** Evaluates these tokens and chooses the one that follows. */
  after(tokens: readonly Token[]): Promise<SampledToken>;
  /** Frees what choosing took. */
  close(): Promise<void>;
}

/** How the tokens of one choice are chosen. */
export interface TokenChoice {
  readonly sampling: Sampling;
  /** Choice number; each has a seed of its own. */
  readonly choice: number;
  /** Null = no probabilities are wanted; else the number of alternatives. */
  readonly logprobs: number | null;
  /** Grows with the answer. */
  readonly generated: readonly Token[];
  /** The grammar that the next token must follow. */
  readonly grammar: () => LlamaGrammarEvaluationState | undefined;
}

export interface TokenSourceTools {
  readonly model: LlamaModel;
  readonly bytes: TokenBytes;
  readonly defaults: SamplingDefaults;
  /** Tokens that end an answer. */
  readonly endTokens: ReadonlySet<Token>;
}

/** Whether the end of an answer is to be held off, or probabilities are to be told. */
const needsLoggedSampling = ({ min_tokens: least = 0, ignore_eos: endless = false }: Sampling, logprobs: number | null): boolean =>
  least > 0 || endless || logprobs !== null;

/**
 * Tokens as llama.cpp's own samplers choose them.
 * @throws ServiceError for a logit_bias that names no token that can be weighted.
 */
export function tokenSource(tools: TokenSourceTools, sequence: LlamaContextSequence, how: TokenChoice): TokenSource {
  const { sampling, choice, logprobs } = how;
  const seed = ((sampling.seed ?? randomInt(SEEDS)) + choice) % SEEDS;
  const options = samplingOptions(tools.model, { ...sampling, seed }, tools.defaults, how.generated);
  if (needsLoggedSampling(sampling, logprobs)) return new LoggedTokens(tools, sequence, how, options);
  return new SampledTokens(sequence, { ...options, grammarEvaluationState: how.grammar });
}

class SampledTokens implements TokenSource {
  #steps: AsyncGenerator<Token, void, Token | Token[]> | undefined;

  constructor(
    private readonly sequence: LlamaContextSequence,
    private readonly options: NonNullable<Parameters<LlamaContextSequence['evaluate']>[1]>,
  ) {}

  async after(tokens: readonly Token[]): Promise<SampledToken> {
    const first = this.#steps === undefined;
    this.#steps ??= this.sequence.evaluate([...tokens], this.options) as AsyncGenerator<Token, void, Token | Token[]>;
    const { value } = first ? await this.#steps.next([]) : await this.#steps.next([...tokens]);
    if (value === undefined) throw new Error('llama.cpp ended without an end token.');
    return { token: value };
  }

  async close(): Promise<void> {
    await this.#steps?.return();
  }
}

class LoggedTokens implements TokenSource {
  readonly #sampling: LoggedSampling;

  constructor(
    private readonly tools: TokenSourceTools,
    sequence: LlamaContextSequence,
    private readonly how: TokenChoice,
    options: SequenceEvaluateOptions,
  ) {
    const { grammar, logprobs: top } = how;
    const { model, endTokens } = tools;
    this.#sampling = new LoggedSampling(sequence, model, { options, grammar, top, forbidden: () => this.#forbidden(), endTokens });
  }

  async after(tokens: readonly Token[]): Promise<SampledToken> {
    const { token, next } = await this.#sampling.after(tokens);
    const { logprobs } = this.how;
    if (next === null || logprobs === null) return { token };
    return { token, logprob: describeLogprob(next, token, logprobs, (each) => this.#describe(each)) };
  }

  close(): Promise<void> {
    this.#sampling.close();
    return Promise.resolve();
  }

  #forbidden(): ReadonlySet<Token> {
    const { min_tokens: least = 0, ignore_eos: endless = false, stop_token_ids: stops = [] } = this.how.sampling;
    const early = this.how.generated.length < least;
    if (!early && !endless) return new Set();
    return early ? new Set([...this.tools.endTokens, ...(stops as Token[])]) : this.tools.endTokens;
  }

  /** What the token writes; its bytes where they are no text by themselves. */
  #describe(token: Token): Pick<TokenLogprob, 't' | 'b'> {
    const bytes = this.tools.bytes.of(token, this.how.generated);
    if (bytes.length === 0) return { t: this.tools.model.detokenize([token], true) };
    const text = Buffer.from(bytes).toString('utf8');
    return Buffer.from(text).equals(bytes) ? { t: text } : { t: '', b: [...bytes] };
  }
}
