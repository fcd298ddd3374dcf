import type { BatchItem, EvaluationPriority, LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { inSequenceOrder, priorityOf, sequencesOf } from './batch-order.js';

const item = (sequence: number, tokens = 1): BatchItem => ({
  tokens: Array.from({ length: tokens }, () => 1 as Token),
  logits: [],
  evaluationPriority: sequence as EvaluationPriority,
});

const order = (items: readonly BatchItem[], size: number): [number, number][] =>
  inSequenceOrder({ items, size }).map(({ item: { evaluationPriority }, processAmount }) => [evaluationPriority, processAmount]);

describe('the order of a batch', () => {
  it('is that of the sequences, not of their arrival', () => {
    expect(order([item(7), item(0), item(12), item(3)], 512)).toEqual([
      [0, 1],
      [3, 1],
      [7, 1],
      [12, 1],
    ]);
  });

  it('cuts what does not fit', () => {
    expect(order([item(2, 6), item(1, 6)], 8)).toEqual([
      [1, 6],
      [2, 2],
    ]);
  });

  it('counts the sequences of a context from 0', () => {
    const made = Array.from({ length: 3 }, () => ({}) as LlamaContextSequence);
    let next = 0;
    const sequences = sequencesOf({ totalSequences: 3, getSequence: () => made[next++] } as unknown as LlamaContext);
    expect(sequences).toEqual(made);
    expect(sequences.map(priorityOf)).toEqual([0, 1, 2]);
  });
});
