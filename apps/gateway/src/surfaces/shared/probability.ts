import type { TokenLogprob } from '@slipway/contracts';
import { wholeCharacters } from './fields.js';

/** Log probability of an impossible token, as servers of this contract send it, since JSON has no -Infinity. */
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

/** A token with its alternatives, as the chat and the responses contract write it. */
export function probabilityOf(token: TokenLogprob): Probability & { readonly top_logprobs: readonly Probability[] } {
  const { token: text, logprob, bytes } = probability(token);
  return { token: text, logprob, bytes, top_logprobs: (token.top ?? []).map(probability) };
}
