import type { AdapterScorer } from '../scoring.js';
import { lossOf, meanLoss } from './example-scores.js';
import type { PreparedExample } from './prepared-example.js';

/** What examples say of an adapter, as the serving engine has it. */
export interface ObjectiveFigures {
  /** Mean loss; null without examples. */
  readonly loss: number | null;
  /** Pairs whose chosen answer is likelier than the rejected one; null = the examples are no pairs. */
  readonly preferred: number | null;
}

/** What a job makes smaller. */
export interface Objective {
  measure(scorer: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<ObjectiveFigures>;
}

/** The loss of answers that are learned, each token counting the same. */
export const LEARN_ANSWERS: Objective = {
  measure: async (scorer, examples, signal) => ({ loss: await meanLoss(scorer, examples, signal), preferred: null }),
};

/** Log probabilities of both answers to a prompt. */
interface Pair {
  readonly chosen: number;
  readonly rejected: number;
}

/**
 * The loss of direct preference optimization (Rafailov et al., 2023): how far the chosen answer gains on the rejected one beside the
 * base, which is asked about each example once.
 */
export class LearnPreferences implements Objective {
  readonly #base = new Map<PreparedExample, Pair>();

  constructor(private readonly beta: number) {}

  /** Asks the base about examples, of which alone others can be measured later. */
  async ask(base: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<void> {
    for (const example of examples) {
      signal.throwIfAborted();
      if (!this.#base.has(example)) this.#base.set(example, await pairOf(base, example));
    }
  }

  /** @throws Error for an example that the base was not asked about */
  async measure(scorer: AdapterScorer, examples: readonly PreparedExample[], signal: AbortSignal): Promise<ObjectiveFigures> {
    let sum = 0;
    let preferred = 0;
    for (const example of examples) {
      signal.throwIfAborted();
      const before = this.#base.get(example);
      if (!before) throw new Error('The base was not asked about this example.');
      const { chosen, rejected } = await pairOf(scorer, example);
      sum += Math.log1p(Math.exp(-this.beta * (chosen - before.chosen - (rejected - before.rejected))));
      if (chosen > rejected) preferred += 1;
    }
    return { loss: examples.length === 0 ? null : sum / examples.length, preferred };
  }
}

async function pairOf(scorer: AdapterScorer, example: PreparedExample): Promise<Pair> {
  const chosen = await lossOf(scorer, example);
  const rejected = example.rejected ? await lossOf(scorer, example.rejected) : chosen;
  return { chosen: -chosen.mean * chosen.tokens, rejected: -rejected.mean * rejected.tokens };
}
