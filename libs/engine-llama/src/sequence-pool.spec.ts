import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { numberOf } from './batch-order.js';
import { SequencePool } from './sequence-pool.js';

const tokens = (...ids: number[]): Token[] => ids as Token[];

class Held {
  contextTokens: Token[] = [];
}

const poolOf = (size: number, dense: boolean): SequencePool =>
  new SequencePool({ totalSequences: size, getSequence: () => new Held() } as unknown as LlamaContext, dense);

/** Takes a sequence for a conversation, which it then holds. */
function take(pool: SequencePool, ...conversation: number[]): LlamaContextSequence {
  const sequence = pool.take(tokens(...conversation));
  (sequence as unknown as Held).contextTokens = tokens(...conversation);
  return sequence;
}

describe('SequencePool', () => {
  it('goes on where a conversation is cached', () => {
    const pool = poolOf(3, false);
    const all = [take(pool, 1, 2), take(pool, 1, 3, 4), take(pool, 5)];
    for (const sequence of all) pool.give(sequence);
    expect(numberOf(pool.take(tokens(1, 3, 4, 9)))).toBe(1);
  });

  it('takes what was idle longest of those that share as much', () => {
    const pool = poolOf(4, false);
    const all = [take(pool, 1), take(pool, 1), take(pool, 1), take(pool, 1)] as const;
    for (const at of [2, 0, 3, 1] as const) pool.give(all[at]);
    expect([1, 2, 3, 4].map((other) => numberOf(pool.take(tokens(1, other))))).toEqual([2, 0, 3, 1]);
  });

  it('takes sequences beside each other where they shall be dense', () => {
    const pool = poolOf(6, true);
    const all = Array.from({ length: 6 }, () => take(pool, 1));
    for (const at of [3, 0, 5, 1, 2, 4]) pool.give(all[at]!);
    expect([1, 2, 3, 4].map((other) => numberOf(pool.take(tokens(1, other))))).toEqual([3, 2, 1, 0]);
  });

  it('prefers a cached conversation to a dense place', () => {
    const pool = poolOf(4, true);
    const all = [take(pool, 1), take(pool, 1), take(pool, 1), take(pool, 1, 2, 3)] as const;
    for (const sequence of all) pool.give(sequence);
    expect(numberOf(pool.take(tokens(1, 9)))).toBe(0);
    expect(numberOf(pool.take(tokens(1, 2, 3, 4)))).toBe(3);
  });
});
