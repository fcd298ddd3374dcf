import { describe, expect, it } from 'vitest';
import { answerBound, isDegenerate, repeatsItself } from './degenerate.js';

describe('repeatsItself', () => {
  it.each([
    ['one token four times', [1, 7, 7, 7, 7], true],
    ['one token three times', [1, 7, 7, 7, 2], false],
    ['a group of three, four times', [9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3], true],
    ['a group of three, three times', [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2], false],
    ['a group of eight, four times', Array.from({ length: 32 }, (_, i) => i % 8), true],
    ['a group of nine', Array.from({ length: 45 }, (_, i) => i % 9), false],
    ['the same again with something between', [7, 7, 1, 7, 7, 2, 7, 7, 3, 7, 7], false],
    ['nothing', [], false],
  ])('%s: %#', (_, tokens, repeats) => {
    expect(repeatsItself(tokens)).toBe(repeats);
  });
});

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
