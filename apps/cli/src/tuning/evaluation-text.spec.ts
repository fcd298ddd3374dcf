import type { EvaluationView } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { deltaText, readGrader, resultRows } from './evaluation-text.js';

const delta = { points: 6, low: -1.52, high: 13.2, better: 10, worse: 4, items: 100, is_certain: false };

describe('evaluations in words', () => {
  it('say with each difference how certain it is', () => {
    expect(deltaText(delta)).toBe('+6.0 points (95 % -1.5 to +13.2, 100 items: not certain)');
    const rate = { share: 0.5, low: 0.25, high: 0.75 };
    const view = {
      deployments: [{ name: 'base' }, { name: 'new' }],
      graders: [{ kind: 'exact' }, { kind: 'judge' }],
      results: [
        { graders: [{ grader: 0, passed: 5, of: 10, rate, delta: null }], preferences: [] },
        {
          graders: [{ grader: 0, passed: 0, of: 0, rate: null, delta: null }],
          preferences: [{ grader: 1, wins: 3, losses: 3, ties: 1, rate }],
        },
      ],
    };
    expect(resultRows(view as unknown as EvaluationView)).toEqual([
      ['base', 'exact', '5 of 10', '50.0 % (95 % 25.0 % to 75.0 %)', 'baseline'],
      ['new', 'exact', '0 of 0', null, null],
      ['new', 'judge', '3 won, 3 lost, 1 tied', '50.0 % (95 % 25.0 % to 75.0 %)', null],
    ]);
  });
});

describe('a grader of the command line', () => {
  it.each([
    ['exact', { kind: 'exact' }],
    ['contains', { kind: 'contains' }],
    ['contains:a:b', { kind: 'contains', text: 'a:b' }],
    ['regex:^a', { kind: 'regex', pattern: '^a' }],
    ['json_schema:{"type":"object"}', { kind: 'json_schema', schema: { type: 'object' } }],
    ['length:1..20', { kind: 'length', min: 1, max: 20 }],
    ['length:..20', { kind: 'length', max: 20 }],
    ['judge:deployment-7:Which is right?', { kind: 'judge', deployment: 7, rubric: 'Which is right?' }],
  ])('%s is read', (text, grader) => {
    expect(readGrader(text)).toEqual(grader);
  });

  it.each(['regex', 'exact:1', 'length:a', 'judge:7', 'json_schema:[', 'nothing', ''])('%s is refused', (text) => {
    expect(() => readGrader(text)).toThrow('is no grader');
  });
});
