import type { Witness, WitnessAnswer } from '@slipway/contracts';
import type { AdapterScorer } from '../scoring.js';
import { answerBound } from './degenerate.js';
import { expectedTokens } from './example-scores.js';
import { onePerPrompt } from './base-scores.js';
import type { PreparedExample } from './prepared-example.js';

/** Answers of each kind: to learned prompts, and to others. */
const EACH = 4;
const TOKENS_MAX = { prompt: 1_024, answer: 256 };
/** Digits of a stored log probability: far finer than what differs between machines. */
const DIGITS = 1e5;

const rounded = (logprob: number): number => Math.round(logprob * DIGITS) / DIGITS;

const fits = ({ promptTokens }: PreparedExample): boolean => promptTokens <= TOKENS_MAX.prompt;

/** Prompts for a witness: learned ones, and others where there are any. */
export function witnessPrompts(learned: readonly PreparedExample[], others: readonly PreparedExample[]): PreparedExample[] {
  const trained = onePerPrompt(learned.filter(fits)).slice(0, 2 * EACH);
  const kept = onePerPrompt(others.filter(fits)).slice(0, EACH);
  return [...trained.slice(0, 2 * EACH - kept.length), ...kept];
}

/**
 * What a replica must answer to prove that it runs the adapter: its own greedy answers, with their probabilities with the adapter
 * and without, as the serving engine gives them.
 */
export async function makeWitness(adapter: AdapterScorer, base: AdapterScorer, prompts: readonly PreparedExample[]): Promise<Witness> {
  const bound = Math.min(TOKENS_MAX.answer - 1, answerBound(Math.max(0, ...prompts.map((prompt) => expectedTokens(prompt).length))));
  const answers: WitnessAnswer[] = [];
  let sum = 0;
  let count = 0;
  for (const { tokens: all, promptTokens } of prompts) {
    const prompt = all.slice(0, promptTokens);
    const { tokens, end } = await adapter.answer(prompt, bound);
    const answer = end === null ? [...tokens] : [...tokens, end];
    if (answer.length === 0) continue;
    const withAdapter = await adapter.logprobs([...prompt, ...answer], prompt.length);
    const without = await base.logprobs([...prompt, ...answer], prompt.length);
    answers.push({ prompt, answer, adapter: withAdapter.map(rounded), base: without.map(rounded) });
    for (const [i, logprob] of withAdapter.entries()) sum += Math.abs(logprob - (without[i] ?? 0));
    count += answer.length;
  }
  return { answers, distance: count === 0 ? 0 : sum / count };
}

/** The answers of a witness on which adapter and base differ most. */
export function mostTelling({ answers }: Witness): Witness {
  const sumOf = ({ adapter, base }: WitnessAnswer): number =>
    adapter.reduce((sum, logprob, i) => sum + Math.abs(logprob - (base[i] ?? 0)), 0);
  const meanOf = (answer: WitnessAnswer): number => sumOf(answer) / answer.answer.length;
  const kept = answers.toSorted((a, b) => meanOf(b) - meanOf(a)).slice(0, 2 * EACH);
  const count = kept.reduce((sum, { answer }) => sum + answer.length, 0);
  return { answers: kept, distance: count === 0 ? 0 : kept.reduce((sum, answer) => sum + sumOf(answer), 0) / count };
}

/** Mean distance of the log probabilities of a witness from what a replica gives now. */
export async function distanceFrom(witness: Witness, scorer: AdapterScorer): Promise<number> {
  let sum = 0;
  let count = 0;
  for (const { prompt, answer, adapter } of witness.answers) {
    const now = await scorer.logprobs([...prompt, ...answer], prompt.length);
    for (const [i, logprob] of now.entries()) sum += Math.abs(logprob - (adapter[i] ?? 0));
    count += answer.length;
  }
  return count === 0 ? 0 : sum / count;
}
