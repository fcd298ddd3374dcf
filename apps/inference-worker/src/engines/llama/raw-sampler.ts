import type { Sampling, TokenLogprob } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import { PENALTY_WINDOW, WindowCounts } from './penalty-window.js';
import type { SamplingDefaults } from './sampling-options.js';

/** Log probabilities below this are not told apart; JSON has no infinity. */
const LEAST_LOGPROB = -9_999;

/** What a model says about the next token. */
export interface NextToken {
  /** Raw logits, the highest first: of all tokens, or of as many as were asked for. */
  readonly logits: ReadonlyMap<Token, number>;
  /** Sum of `exp(logit - highest)` over the whole vocabulary. */
  readonly totalWeight: number;
}

interface Candidate {
  readonly token: Token;
  readonly logit: number;
}

/** A reproducible stream of numbers from 0 to 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Log probability of a token by the raw distribution: temperature 1, nothing cut off, nothing weighted. */
function logprobOf(next: NextToken, token: Token): number {
  const [highest = 0] = next.logits.values();
  const logit = next.logits.get(token) ?? -Infinity;
  return Math.max(LEAST_LOGPROB, logit - highest - Math.log(next.totalWeight));
}

/**
 * Chooses tokens from raw logits as llama.cpp does, in the same order: weights, penalties, top_k, top_p, min_p, temperature.
 * It is there for what llama.cpp's own samplers cannot do: tell the raw probabilities, and forbid the end of an answer.
 */
export class RawSampler {
  readonly #random: () => number;
  readonly #counts: WindowCounts<Token> | null;

  constructor(
    private readonly sampling: Sampling,
    private readonly defaults: SamplingDefaults,
    seed: number,
  ) {
    this.#random = seededRandom(seed);
    const { frequency_penalty: frequency = 0, presence_penalty: presence = 0, repetition_penalty: repetition = 1 } = sampling;
    const punishes = frequency !== 0 || presence !== 0 || repetition !== 1;
    this.#counts = punishes ? new WindowCounts(PENALTY_WINDOW) : null;
  }

  /** Highest logits that a choice depends on; null = all. `spare` of them may be forbidden. */
  needed(spare: number): number | null {
    const weighted = this.sampling.logit_bias !== undefined || this.#counts !== null;
    const greedy = this.sampling.temperature === 0 || this.sampling.top_p === 0;
    const topK = greedy ? 1 : (this.sampling.top_k ?? this.defaults.topK);
    return weighted || topK === 0 ? null : topK + spare;
  }

  /** @param generated what penalties look at; one list that grows from choice to choice. */
  choose(next: NextToken, forbidden: ReadonlySet<Token>, generated: readonly Token[]): Token {
    const counts = this.#counts?.of(generated) ?? null;
    const candidates = Array.from(next.logits, ([token, logit]) => ({ token, logit: this.#weighted(token, logit, counts) }))
      .filter(({ token, logit }) => !forbidden.has(token) && logit > -Infinity)
      .toSorted((a, b) => b.logit - a.logit);
    const [first] = candidates;
    if (!first) throw new Error('No token may follow.');
    const temperature = this.sampling.top_p === 0 ? 0 : (this.sampling.temperature ?? 1);
    return temperature === 0 ? first.token : this.#draw(this.#truncated(candidates), temperature);
  }

  #weighted(token: Token, raw: number, counts: ReadonlyMap<Token, number> | null): number {
    const {
      logit_bias: bias,
      frequency_penalty: frequency = 0,
      presence_penalty: presence = 0,
      repetition_penalty: repetition = 1,
    } = this.sampling;
    const weight = bias?.[String(token)] ?? 0;
    const logit = weight <= -100 ? -Infinity : raw + weight;
    const count = counts?.get(token) ?? 0;
    if (count === 0) return logit;
    return (logit <= 0 ? logit * repetition : logit / repetition) - count * frequency - presence;
  }

  #truncated(candidates: readonly Candidate[]): readonly Candidate[] {
    const topK = this.sampling.top_k ?? this.defaults.topK;
    const topP = this.sampling.top_p ?? this.defaults.topP;
    const minP = this.sampling.min_p ?? this.defaults.minP;
    const first = topK > 0 ? candidates.slice(0, topK) : candidates;
    const likely = topP < 1 ? nucleus(first, topP) : first;
    const [highest] = likely;
    const least = highest && minP > 0 ? highest.logit + Math.log(minP) : -Infinity;
    return likely.filter(({ logit }) => logit >= least);
  }

  #draw(candidates: readonly Candidate[], temperature: number): Token {
    const weights = weightsOf(candidates, temperature);
    let left = this.#random() * weights.reduce((sum, weight) => sum + weight, 0);
    const at = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return (candidates[at] ?? candidates.at(-1) ?? { token: 0 as Token }).token;
  }
}

function weightsOf(candidates: readonly Candidate[], temperature: number): number[] {
  const highest = candidates[0]?.logit ?? 0;
  return candidates.map(({ logit }) => Math.exp((logit - highest) / temperature));
}

/** The likeliest tokens that together have at least this probability. */
function nucleus(candidates: readonly Candidate[], topP: number): readonly Candidate[] {
  const weights = weightsOf(candidates, 1);
  let left = topP * weights.reduce((sum, weight) => sum + weight, 0);
  const end = weights.findIndex((weight) => {
    left -= weight;
    return left <= 0;
  });
  return end < 0 ? candidates : candidates.slice(0, end + 1);
}

/** The token with its alternatives, as clients are told them. */
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
