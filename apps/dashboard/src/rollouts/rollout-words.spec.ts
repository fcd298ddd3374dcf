import { describe, expect, it } from 'vitest';
import { CHECK_NAMES, figureRows, guardText, stepsOf, suiteFigure, suiteState } from './rollout-words.js';

describe('a rollout in words', () => {
  it('reads rising percentages alone', () => {
    expect(stepsOf('5, 25 50,100')).toEqual([5, 25, 50, 100]);
    for (const wrong of ['', '50, 5', '0', '101', '5.5', 'five', '5, 5']) expect(stepsOf(wrong)).toBeNull();
  });

  it('says what its guard compares', () => {
    const rollout = { steps: [5, 50], minutes: 10, guard: { requests: 50, checks: [...CHECK_NAMES] } };
    expect(guardText(rollout)).toMatch(/^Steps 5, 50 %, 10 min each\. The guard compares failed requests, .* from 50 requests on\.$/);
    expect(guardText({ ...rollout, minutes: null, guard: { requests: 50, checks: [] } })).toContain('by hand. The guard compares nothing');
  });

  it('says how far its suite is, and what it found', () => {
    expect(suiteState({ state: 'running', done: 12, total: 40 })).toEqual(['busy', 'Running, 12 of 40']);
    expect(suiteState({ state: 'failed', done: 12, total: 40 })).toEqual(['warn', 'No result']);
    expect(suiteState({ state: 'newer', done: 0, total: 0 })).toEqual(['plain', 'newer']);
    const figure = { grader: 'exact', value: -50, low: -80, high: 1.2, items: 10, is_worse: false };
    expect(suiteFigure({ ...figure, unit: 'points' })).toBe('-50 points on 10 items, 95 % -80 to +1.2');
    expect(suiteFigure({ ...figure, unit: 'wins', value: 20, low: 5.7, high: 51 })).toBe('Wins 20 % of 10 items, 95 % 5.7 to 51 %');
  });

  it('shows dashes for a side without requests', () => {
    const none = { requests: 0, errors: 0, cut: 0, first_token_ms: null, answer_tokens: null };
    const some = { requests: 40, errors: 1, cut: 4, first_token_ms: { p50: 120, p95: 300 }, answer_tokens: { p50: 64, p95: 90 } };
    const rows = figureRows({ stable: some, candidate: none, as_of: '2027-01-01T00:00:00Z' });
    expect(rows.slice(0, 3)).toEqual([
      ['Requests', '40', '0'],
      ['Failed', '1 (2.5 %)', '–'],
      ['Cut at the token limit', '4 (10 %)', '–'],
    ]);
    expect(rows[4]).toEqual(['Answer tokens p50 / p95', '64 / 90', '–']);
  });
});
