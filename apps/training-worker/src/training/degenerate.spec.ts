import { describe, expect, it } from 'vitest';
import { answerBound, isDegenerate } from './degenerate.js';

describe('isDegenerate', () => {
  it('takes an answer without an end as degenerate', () => {
    expect(isDegenerate({ tokens: [1, 2, 3], end: null }, [1, 2, 3])).toBe(true);
  });

  it('allows a repetition that was asked for', () => {
    expect(isDegenerate({ tokens: [7, 7, 7, 7, 7], end: 2 }, [7, 7, 7, 7])).toBe(false);
  });
});

describe('answerBound', () => {
  it('gives short answers room to run on', () => {
    expect([answerBound(3), answerBound(100)]).toEqual([32, 400]);
  });
});
