import { type DeploymentResult, DeploymentId, EvaluationId, type Verdict } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type SuiteOutcome, suiteCheck, wholeVerdict } from './gate-verdicts.js';

const result = (points: number, more: Partial<DeploymentResult> = {}): DeploymentResult => ({
  ...{ deployment: DeploymentId.parse(2), answered: 100, failed: 0, median_ms: 9, preferences: [] },
  graders: [
    {
      ...{ grader: 0, passed: 80, of: 100, rate: { share: 0.8, low: 0.7, high: 0.9 } },
      delta: { points, low: points - 5, high: points + 5, better: 1, worse: 2, items: 100, is_certain: false },
    },
  ],
  ...more,
});
const outcome = (points: number, more?: Partial<DeploymentResult>): SuiteOutcome => ({
  ...{ name: 'support', points: 3 },
  evaluation: {
    id: EvaluationId.parse(9),
    baseline: 'base',
    graders: [{ kind: 'exact' }, { kind: 'judge' }],
    result: result(points, more),
  },
});
const trained: Verdict = { passed: true, checks: [] };

describe('a suite as gate', () => {
  it('passes an adapter that loses no more than it may', () => {
    expect(suiteCheck(outcome(-3))).toMatchObject({ check: 'suite', passed: true, base: 83, adapter: 80, bound: 80, examples: 100 });
    const { passed, detail } = suiteCheck(outcome(-3.5));
    expect([passed, detail]).toEqual([
      false,
      'The suite support: exact lost 3.5 points against base; 3 points may be lost (evaluation 9).',
    ]);
  });

  it('fails an adapter whose answers a judge surely likes less', () => {
    const preferences = (high: number) => [{ grader: 1, wins: 2, losses: 18, ties: 0, unread: 0, rate: { share: 0.1, low: 0, high } }];
    expect(suiteCheck(outcome(5, { preferences: preferences(0.3) })).passed).toBe(false);
    expect(suiteCheck(outcome(5, { preferences: preferences(0.6) })).passed).toBe(true);
  });

  it('holds up promotion until it was run', () => {
    const unrun = { name: 'support', points: 3, evaluation: null };
    expect(wholeVerdict(trained, [unrun])).toMatchObject({ passed: false, checks: [{ passed: null }] });
    expect(wholeVerdict(null, [outcome(0)])).toMatchObject({ passed: true });
    expect([wholeVerdict(null, []), wholeVerdict(trained, [])]).toEqual([null, trained]);
    expect(wholeVerdict({ ...trained, passed: false }, [outcome(0)])?.passed).toBe(false);
  });
});
