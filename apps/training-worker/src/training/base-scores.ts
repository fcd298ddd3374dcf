import type { AdapterScorer, LlamaScorer } from '../scoring.js';
import { answersTo, expectedTokens, type JudgedAnswer, lossOf, meanLoss } from './example-scores.js';
import type { PreparedExample } from './prepared-example.js';

/** Examples that checkpoints are scored on: losses, and answers, which cost more. */
const SCORED = { losses: 32, answers: 8 };
/** Prompts whose answers are shown at every checkpoint. */
const SHOWN = 3;
/** Answers of the verdict. */
const JUDGED = 64;

/** What is scored, and how the base does on it. */
export interface BaseScores {
  /** For losses: held-out examples, or learned ones where none are held out. */
  readonly scored: readonly PreparedExample[];
  /** For the answers of a checkpoint. */
  readonly asked: readonly PreparedExample[];
  /** For the answers of the verdict. */
  readonly judged: readonly PreparedExample[];
  /** Shown beside each other over time. */
  readonly shown: readonly PreparedExample[];
  readonly isHeldOut: boolean;
  /** Loss of the first learned example, which the trainer must have at its first step. */
  readonly firstLoss: number;
  /** Mean loss of the first learned examples. */
  readonly trainLoss: number;
  readonly scoredLoss: number;
  readonly shownAnswers: readonly JudgedAnswer[];
}

/** Scores the base before training. */
export async function scoreBase(
  base: AdapterScorer,
  { first, held }: { readonly first: readonly PreparedExample[]; readonly held: readonly PreparedExample[] },
  signal: AbortSignal,
): Promise<BaseScores> {
  const isHeldOut = held.length > 0;
  const from = isHeldOut ? held : first;
  const distinct = onePerPrompt(from);
  const scored = from.slice(0, SCORED.losses);
  const [start] = first;
  const shown = distinct.slice(0, SHOWN);
  return {
    scored,
    asked: distinct.slice(0, SCORED.answers),
    judged: distinct.slice(0, JUDGED),
    shown,
    isHeldOut,
    firstLoss: start ? (await lossOf(base, start)).mean : 0,
    trainLoss: (await meanLoss(base, first.slice(0, SCORED.losses), signal)) ?? 0,
    scoredLoss: (await meanLoss(base, scored, signal)) ?? 0,
    shownAnswers: await answersTo(base, shown, signal),
  };
}

/** The first example of each prompt. */
export function onePerPrompt(examples: readonly PreparedExample[]): PreparedExample[] {
  const seen = new Set<string>();
  return examples.filter(({ prompt }) => !seen.has(prompt) && seen.add(prompt));
}

/** Tokens of the context that scoring needs: the longest example, and room for an answer that runs on. */
export const scoringContext = (longest: number, examples: readonly PreparedExample[]): number =>
  longest + 4 * Math.max(8, ...examples.map((example) => expectedTokens(example).length));

/** What scores an adapter, for as long as `use` runs. */
export async function withScorer<T>(
  scorer: LlamaScorer,
  adapter: string | null,
  context: number,
  use: (scoring: AdapterScorer) => Promise<T>,
): Promise<T> {
  const scoring = await scorer.scoring(adapter, context);
  try {
    return await use(scoring);
  } finally {
    await scoring.dispose();
  }
}
