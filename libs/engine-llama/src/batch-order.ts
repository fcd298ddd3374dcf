import type { CustomBatchingPrioritizationStrategy, EvaluationPriority, LlamaContext, LlamaContextSequence } from 'node-llama-cpp';

/** Numbers of sequences within their contexts, as llama.cpp counts them. */
const numbers = new WeakMap<LlamaContextSequence, number>();

/** All sequences of a context that gave out none before. */
export function sequencesOf(context: LlamaContext): LlamaContextSequence[] {
  return Array.from({ length: context.totalSequences }, (_, number) => {
    const sequence = context.getSequence();
    numbers.set(sequence, number);
    return sequence;
  });
}

/** The number of a sequence within its context. */
export const numberOf = (sequence: LlamaContextSequence): number => numbers.get(sequence) ?? 0;

/**
 * The number of a sequence, as the priority with which it is evaluated: a context with `inSequenceOrder` takes it for nothing else,
 * and items of a batch say nothing else of their sequence. The library's type has five values; it passes on any number.
 */
export const priorityOf = (sequence: LlamaContextSequence): EvaluationPriority => numberOf(sequence) as EvaluationPriority;

/**
 * Orders a batch by the numbers of its sequences. llama.cpp computes sequences together only where their numbers follow each other in
 * the batch (`split_equal` of llama-batch.cpp, with a cache for each sequence): in the order of their arrival eight answers take up to
 * eight passes over the model for each token. A `BatchGate` lets no more tokens come than fit.
 */
export const inSequenceOrder: CustomBatchingPrioritizationStrategy = ({ items, size }) => {
  let left = size;
  return items
    .toSorted((a, b) => a.evaluationPriority - b.evaluationPriority)
    .map((item) => {
      const processAmount = Math.min(item.tokens.length, left);
      left -= processAmount;
      return { item, processAmount };
    });
};
