import { randomInt } from 'node:crypto';
import type { Sampling, TokenLogprob } from '@slipway/contracts';
import type { LlamaContextSequence, LlamaGrammarEvaluationState, LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import { priorityOf } from './batch-order.js';
import { LoggedSampling, type NextToken } from './logged-sampling.js';
import { samplingOptions, type SamplingDefaults } from './sampling-options.js';
import type { TokenBytes } from './token-bytes.js';

const SEEDS = 2 ** 32;

/** A generated token. */
export interface SampledToken {
  readonly token: Token;
  readonly logprob?: TokenLogprob;
}

/** Generates the tokens of one choice. */
export interface TokenSource {
  /** Evaluates these tokens and chooses the one that follows. */
  after(tokens: readonly Token[]): Promise<SampledToken>;
  /** Frees the sampler. */
  close(): Promise<void>;
}

/** Sampling of one choice. */
export interface TokenChoice {
  readonly sampling: Sampling;
  /** Number of the choice; each has its own seed. */
  readonly choice: number;
  /** Number of alternatives in log probabilities; null = none wanted. */
  readonly logprobs: number | null;
  /** Grows with the answer. */
  readonly generated: readonly Token[];
  /** The grammar that the next token must follow. */
  readonly grammar: () => LlamaGrammarEvaluationState | undefined;
}

/** Parts of a model that token sources need. */
export interface TokenSourceTools {
  readonly model: LlamaModel;
  readonly bytes: TokenBytes;
  readonly defaults: SamplingDefaults;
  /** Tokens that end an answer. */
  readonly endTokens: ReadonlySet<Token>;
}

/** Whether end tokens must be forbidden or log probabilities reported. */
const needsLoggedSampling = ({ min_tokens: least = 0, ignore_eos: endless = false }: Sampling, logprobs: number | null): boolean =>
  least > 0 || endless || logprobs !== null;

/**
 * Chooses tokens with llama.cpp's own samplers.
 * @throws ServiceError for a logit_bias with a token that cannot be biased.
 */
export function tokenSource(tools: TokenSourceTools, sequence: LlamaContextSequence, how: TokenChoice): TokenSource {
  const { sampling, choice, logprobs } = how;
  const seed = ((sampling.seed ?? randomInt(SEEDS)) + choice) % SEEDS;
  const options = {
    ...samplingOptions(tools.model, { ...sampling, seed }, tools.defaults, how.generated),
    evaluationPriority: priorityOf(sequence),
  };
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

  /** Text of the token; its bytes where they are not valid UTF-8. */
  #describe(token: Token): Pick<TokenLogprob, 't' | 'b'> {
    const bytes = this.tools.bytes.of(token, this.how.generated);
    if (bytes.length === 0) return { t: this.tools.model.detokenize([token], true) };
    const text = Buffer.from(bytes).toString('utf8');
    return Buffer.from(text).equals(bytes) ? { t: text } : { t: '', b: [...bytes] };
  }
}

/** Smallest reported log probability, because JSON has no infinity. */
const LEAST_LOGPROB = -9_999;

/** Log probability of a token in the raw distribution: temperature 1, without cut-offs, biases and grammar. */
function logprobOf(next: NextToken, token: Token): number {
  const [highest = 0] = next.logits.values();
  const logit = next.logits.get(token) ?? -Infinity;
  return Math.max(LEAST_LOGPROB, logit - highest - Math.log(next.totalWeight));
}

/** The token with its alternatives, as clients get them. */
export function describeLogprob(
  next: NextToken,
  token: Token,
  alternatives: number,
  describe: (token: Token) => Pick<TokenLogprob, 't' | 'b'>,
): TokenLogprob {
  const top = Array.from(next.logits.keys()).slice(0, alternatives);
  const one = (each: Token): TokenLogprob => ({ ...describe(each), p: logprobOf(next, each) });
  return { ...one(token), ...(alternatives > 0 && { top: top.map(one) }) };
}
