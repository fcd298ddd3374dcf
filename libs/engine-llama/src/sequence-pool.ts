import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import { sequencesOf } from './batch-order.js';
import { commonPrefix } from './prefill.js';

/** The sequences of a context. Each keeps the tokens of its last request, which the next one may reuse. */
export class SequencePool {
  readonly #idle: LlamaContextSequence[];

  constructor(context: LlamaContext) {
    this.#idle = sequencesOf(context);
  }

  /**
   * Takes the idle sequence that shares most tokens with the prompt. If none shares any, it takes the one that was idle longest, so
   * that recent conversations stay cached.
   */
  take(prompt: readonly Token[]): LlamaContextSequence {
    let best = 0;
    let longest = 0;
    for (const [i, sequence] of this.#idle.entries()) {
      const shared = commonPrefix(sequence.contextTokens, prompt);
      if (shared <= longest) continue;
      best = i;
      longest = shared;
    }
    const [sequence] = this.#idle.splice(best, 1);
    if (!sequence) throw new Error('More requests were admitted than there are sequences.');
    return sequence;
  }

  give(sequence: LlamaContextSequence): void {
    this.#idle.push(sequence);
  }

  /** Clears all idle sequences. */
  async clear(): Promise<void> {
    for (const sequence of this.#idle) await sequence.clearHistory();
  }
}
