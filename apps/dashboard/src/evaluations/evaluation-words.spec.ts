import type { EvaluationView } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { deltaLook, deltaText, graderDetail, graderName, headline, preferenceText, shareText } from './evaluation-words.js';

const delta = (points: number, isCertain: boolean) => ({
  ...{ points, low: points - 7.2, high: points + 7, better: 10, worse: 4, items: 100, is_certain: isCertain },
});

describe('the words of an evaluation', () => {
  it('say with each difference how certain it is', () => {
    expect(deltaText(delta(6, false))).toBe('+6 points, 95 % -1.2 to +13, 100 items: not certain');
    expect([delta(6, false), delta(6, true), delta(-6, true)].map(deltaLook)).toEqual(['plain', 'good', 'warn']);
    expect(shareText(0.834)).toBe('83.4 %');
  });

  it('name what a list should show first', () => {
    const of = (...all: ReturnType<typeof delta>[]): string | null =>
      headline({
        graders: [{ kind: 'exact' }, { kind: 'judge' }],
        results: all.map((one) => ({ graders: [{ grader: 0, delta: one }] })),
      } as unknown as EvaluationView);
    expect([of(), of(delta(3, false)), of(delta(9, true)), of(delta(9, true), delta(-12, true))]).toEqual([
      ...[null, 'No certain difference', 'Exact +9 points', 'Exact -12 points'],
    ]);
  });

  it('show graders as far as their text is known', () => {
    expect(graderDetail({ kind: 'length', min: 1, max: 20 })).toBe('at least 1, at most 20 characters');
    expect([graderDetail({ kind: 'regex' }), graderName({ kind: 'brand_new' }), graderName(undefined)]).toEqual([
      '',
      'brand new',
      'Grader',
    ]);
    expect(preferenceText({ grader: 0, wins: 3, losses: 2, ties: 1, unread: 1, rate: null })).toBe('3 wins, 2 losses, 1 ties, 1 unread');
  });
});
