import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';

/**
 * Log probabilities of the tokens of an answer after a prompt, one for each: what the model expected, had it written the answer.
 * The sequence is cleared first and holds both afterwards; it must not be used by other code meanwhile.
 * @throws Error when prompt and answer do not fit into the context
 */
export async function answerLogprobs(
  sequence: LlamaContextSequence,
  prompt: readonly Token[],
  answer: readonly Token[],
): Promise<readonly number[]> {
  const tokens = [...prompt, ...answer];
  if (tokens.length > sequence.contextSize) throw new Error('The answer does not fit into the context.');
  await sequence.clearHistory();
  const first = prompt.length - 1;
  const outputs = await sequence.controlledEvaluate(
    tokens.slice(0, -1).map((token, i) => (i < first ? token : askedFor(token, tokens[i + 1]!))),
  );
  return answer.map((token, i) => {
    const { logits, totalLogitWeight } = outputs[first + i]?.next ?? {};
    if (!logits || totalLogitWeight === undefined) throw new Error('llama.cpp gave no logits.');
    return (logits.get(token) ?? -Infinity) - Math.max(...logits.values()) - Math.log(totalLogitWeight);
  });
}

const askedFor = (token: Token, next: Token): ControlledEvaluateInputItem => [
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
