import type { TokenLogprob } from '@slipway/contracts';
import { wholeCharacters } from '../json-text.js';

/** JSON has no -Infinity; servers of this contract say this for a token that could not come. */
const NEVER = -9999;

interface Probability {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

const probability = ({ t, p, b }: TokenLogprob): Probability => ({
  token: wholeCharacters(t),
  logprob: Math.max(NEVER, p),
  bytes: b ?? [...Buffer.from(t, 'utf8')],
});

/** The `logprobs` of a choice: one entry for each token. */
export function logprobsObject(tokens: readonly TokenLogprob[]): object {
  const content = tokens.map((token) => ({ ...probability(token), top_logprobs: (token.top ?? []).map(probability) }));
  return { content, refusal: null };
}
