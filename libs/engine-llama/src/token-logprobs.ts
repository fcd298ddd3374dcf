import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';

/**
 * Log probability of each token from `from` on, given all before it, in the raw distribution. The sequence is cleared first and
 * holds the tokens afterwards; no other code may use it meanwhile.
 * @throws RangeError for a text that is longer than the context, or without a token before `from`
 */
export async function tokenLogprobs(sequence: LlamaContextSequence, tokens: readonly Token[], from: number): Promise<number[]> {
  const { contextSize } = sequence;
  if (from < 1 || from >= tokens.length || tokens.length > contextSize) {
    throw new RangeError(`Tokens ${from} to ${tokens.length} cannot be scored in a context of ${contextSize}.`);
  }
  await sequence.clearHistory();
  const items = tokens.slice(0, -1).map((token, i) => (i < from - 1 ? token : scored(token, tokens[i + 1] as Token)));
  const results = await sequence.controlledEvaluate(items);
  return tokens.slice(from).map((token, i) => logprobOf(results[from - 1 + i]?.next, token));
}

const scored = (token: Token, next: Token): ControlledEvaluateInputItem => [
  token,
  {
    generateNext: {
      token: true,
      logits: { filter: { tokens: [next], includeTop: 1 } },
      totalLogitWeight: true,
      options: { temperature: 0 },
    },
  },
];

interface NextScores {
  readonly logits?: ReadonlyMap<Token, number>;
  readonly totalLogitWeight?: number;
}

function logprobOf(next: NextScores | undefined, token: Token): number {
  const { logits, totalLogitWeight } = next ?? {};
  const logit = logits?.get(token);
  if (!logits || logit === undefined || totalLogitWeight === undefined) throw new Error('llama.cpp gave no logits.');
  // Rounding can make it a little more than 0.
  return Math.min(0, logit - Math.max(...logits.values()) - Math.log(totalLogitWeight));
}
