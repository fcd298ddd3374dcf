import { describe, expect, it } from 'vitest';
import { type CheckpointScore, isBetter } from './checkpoint-scores.js';

const score = (more: Partial<CheckpointScore>): CheckpointScore => ({
  ...{ step: 10, adapter: '/a.gguf', loss: 1, degenerate: 0, right: 4, effect: 1 },
  ...more,
});
const beats = (a: Partial<CheckpointScore>, b: Partial<CheckpointScore>): boolean =>
  isBetter(score(a), score(b)) && !isBetter(score(b), score(a));

describe('a checkpoint is better than another', () => {
  it('when it has an effect, whatever its answers', () => {
    expect(beats({ right: 0, degenerate: 2, loss: 3 }, { effect: 0.01 })).toBe(true);
  });

  it('when fewer of its answers repeat themselves', () => {
    expect(beats({ degenerate: 0, right: 1, loss: 3 }, { degenerate: 1 })).toBe(true);
  });

  it('when more of its answers are right at a higher loss', () => {
    expect(beats({ right: 5, loss: 3 }, { right: 4 })).toBe(true);
  });

  it('by its loss where their answers are as good', () => {
    expect(beats({ loss: 0.9 }, { loss: 1 })).toBe(true);
    expect(beats({ step: 20 }, { step: 10 })).toBe(true);
  });
});
