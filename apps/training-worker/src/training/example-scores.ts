import type { AdapterScorer, GreedyAnswer } from '../scoring.js';
import { answerBound, isDegenerate } from './degenerate.js';
import type { LearnedTokens, PreparedExample } from './prepared-example.js';
import { isRight } from './right-answer.js';

/** Mean loss of learned tokens, each token counting the same. */
export interface Loss {
  readonly mean: number;
  readonly tokens: number;
}

/** An answer beside the one that should come. */
export interface JudgedAnswer extends GreedyAnswer {
  readonly degenerate: boolean;
  /** Whether it is the expected one, by the check of its example. */
  readonly right: boolean;
}

/** Tokens that an example's last answer should have, without the one that ends it. */
export const expectedTokens = ({ tokens, spans }: PreparedExample): number[] => {
  const [from, to] = spans.at(-1) ?? [0, 0];
  return tokens.slice(from, to - 1);
};

/** Teacher-forced loss of one example, over all that is learned of it. */
export async function lossOf(scorer: AdapterScorer, { tokens, spans }: LearnedTokens): Promise<Loss> {
  const first = spans[0]?.[0] ?? 0;
  const logprobs = await scorer.logprobs(tokens, first);
  let sum = 0;
  let count = 0;
  for (const [from, to] of spans) {
    for (const logprob of logprobs.slice(from - first, to - first)) sum -= logprob;
    count += to - from;
  }
  return { mean: count === 0 ? 0 : sum / count, tokens: count };
}

/** Mean loss over examples, weighted by their learned tokens; null without examples. */
export async function meanLoss(scorer: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<number | null> {
  let sum = 0;
  let tokens = 0;
  for (const example of examples) {
    signal.throwIfAborted();
    const loss = await lossOf(scorer, example);
    sum += loss.mean * loss.tokens;
    tokens += loss.tokens;
  }
  return tokens === 0 ? null : sum / tokens;
}

/** Greedy answers to the prompts of examples. */
export async function answersTo(scorer: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<JudgedAnswer[]> {
  const bound = answerBound(Math.max(0, ...examples.map((example) => expectedTokens(example).length)));
  const answers: JudgedAnswer[] = [];
  for (const example of examples) {
    signal.throwIfAborted();
    const expected = expectedTokens(example);
    const answer = await scorer.answer(example.tokens.slice(0, example.promptTokens), bound);
    const right = answer.end !== null && isRight(answer.text, example.reference, example.check ?? 'text');
    answers.push({ ...answer, degenerate: isDegenerate(answer, expected), right });
  }
  return answers;
}
