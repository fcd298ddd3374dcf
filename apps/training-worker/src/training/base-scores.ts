import type { AdapterScorer, LlamaScorer } from '../scoring.js';
import { answerBound } from './degenerate.js';
import { answersTo, expectedTokens, type JudgedAnswer, lossOf } from './example-scores.js';
import { LEARN_ANSWERS, LearnPreferences, type Objective } from './objective.js';
import type { PreparedExample } from './prepared-example.js';
import type { JobSettings } from './training-job.js';

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
  /** What losses are of. */
  readonly objective: Objective;
  /** Loss of the first learned example, which the trainer must have at its first step. */
  readonly firstLoss: number;
  /** Mean loss of the first learned examples. */
  readonly trainLoss: number;
  readonly shownAnswers: readonly JudgedAnswer[];
}

/** Scores the base before training. */
export async function scoreBase(
  base: AdapterScorer,
  { first, held }: { readonly first: readonly PreparedExample[]; readonly held: readonly PreparedExample[] },
  { method, beta, signal }: Pick<JobSettings, 'method' | 'beta'> & { readonly signal: AbortSignal },
): Promise<BaseScores> {
  const learned = first.slice(0, SCORED.losses);
  const objective = await objectiveOf({ method, beta }, base, { examples: [...first, ...held], signal });
  const isHeldOut = held.length > 0;
  const from = isHeldOut ? held : first;
  const scored = from.slice(0, SCORED.losses);
  const hardest = onePerPrompt(await byLoss(base, scored, signal));
  const shown = hardest.slice(0, SHOWN);
  const distinct = onePerPrompt([...shown, ...from]);
  const [start] = first;
  return {
    scored,
    asked: distinct.slice(0, SCORED.answers),
    judged: distinct.slice(0, JUDGED),
    shown,
    isHeldOut,
    firstLoss: start ? (await lossOf(base, start.asOneText ?? start)).mean : 0,
    objective,
    trainLoss: (await objective.measure(base, learned, signal)).loss ?? 0,
    shownAnswers: await answersTo(base, shown, signal),
  };
}

async function objectiveOf(
  { method, beta }: Pick<JobSettings, 'method' | 'beta'>,
  base: AdapterScorer,
  { examples, signal }: { readonly examples: readonly PreparedExample[]; readonly signal: AbortSignal },
): Promise<Objective> {
  if (method === 'sft') return LEARN_ANSWERS;
  const objective = new LearnPreferences(beta);
  await objective.ask(base, examples, signal);
  return objective;
}

/** Examples by their loss as a trainer reads them, the highest first. */
async function byLoss(base: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<PreparedExample[]> {
  const losses = new Map<PreparedExample, number>();
  for (const example of examples) {
    signal.throwIfAborted();
    losses.set(example, (await lossOf(base, example.asOneText ?? example)).mean);
  }
  return examples.toSorted((a, b) => (losses.get(b) ?? 0) - (losses.get(a) ?? 0));
}

/** Number of the example with the highest loss: the smaller a loss, the less its comparison with that of the trainer says. */
export async function hardestOf(base: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<number> {
  const [hardest] = await byLoss(base, examples, signal);
  return hardest ? examples.indexOf(hardest) : 0;
}

/** The first example of each prompt. */
export function onePerPrompt(examples: readonly PreparedExample[]): PreparedExample[] {
  const seen = new Set<string>();
  return examples.filter(({ prompt }) => !seen.has(prompt) && seen.add(prompt));
}

/** Tokens of the context that scoring needs: the longest example, and room for an answer that runs on. */
export function scoringContext(longest: number, examples: readonly PreparedExample[]): number {
  const all = Math.max(longest, ...examples.map(({ tokens }) => tokens.length));
  return all + answerBound(Math.max(0, ...examples.map((example) => expectedTokens(example).length)));
}

/** What scores an adapter, for as long as `use` runs. */
export async function withScorer<T>(
  scorer: Pick<LlamaScorer, 'scoring'>,
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
