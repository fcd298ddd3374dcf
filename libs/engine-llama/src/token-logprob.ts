import type { TokenLogprob } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import type { NextToken } from './logged-sampling.js';

/** Log probabilities below this are not told apart; JSON has no infinity. */
const LEAST_LOGPROB = -9_999;

/** Log probability of a token by the raw distribution: temperature 1, nothing cut off, nothing weighted, no grammar. */
function logprobOf(next: NextToken, token: Token): number {
  const [highest = 0] = next.logits.values();
  const logit = next.logits.get(token) ?? -Infinity;
  return Math.max(LEAST_LOGPROB, logit - highest - Math.log(next.totalWeight));
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
