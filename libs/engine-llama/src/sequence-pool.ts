import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import { numberOf, sequencesOf } from './batch-order.js';
import { commonPrefix } from './prefill.js';

/** The sequences of a context. Each keeps the tokens of its last request, which the next one may reuse. */
export class SequencePool {
  readonly #idle: LlamaContextSequence[];
  readonly #busy = new Set<number>();

  /**
   * @param dense whether sequences that are computed together shall have numbers that follow each other, as one pass over the model
   *   needs. It costs more than a prompt read again where a pass takes as long for one sequence as for all: on a GPU.
   */
  constructor(
    context: LlamaContext,
    private readonly dense: boolean,
  ) {
    this.#idle = sequencesOf(context);
  }

  /**
   * Takes the idle sequence that shares most tokens with the prompt. Of those that share as many it takes the one that was idle
   * longest, so that recent conversations stay cached; where sequences shall be dense, one beside those in use.
   */
  take(prompt: readonly Token[]): LlamaContextSequence {
    let best = 0;
    let [longest, nearest] = [0, 0];
    for (const [i, sequence] of this.#idle.entries()) {
      const shared = commonPrefix(sequence.contextTokens, prompt);
      const near = this.dense ? this.#neighbours(numberOf(sequence)) : 0;
      if (shared < longest || (shared === longest && near <= nearest)) continue;
      [best, longest, nearest] = [i, shared, near];
    }
    const [sequence] = this.#idle.splice(best, 1);
    if (!sequence) throw new Error('More requests were admitted than there are sequences.');
    this.#busy.add(numberOf(sequence));
    return sequence;
  }

  give(sequence: LlamaContextSequence): void {
    this.#busy.delete(numberOf(sequence));
    this.#idle.push(sequence);
  }

  /** Clears all idle sequences. */
  async clear(): Promise<void> {
    for (const sequence of this.#idle) await sequence.clearHistory();
  }

  #neighbours(number: number): number {
    return Number(this.#busy.has(number - 1)) + Number(this.#busy.has(number + 1));
  }
}
