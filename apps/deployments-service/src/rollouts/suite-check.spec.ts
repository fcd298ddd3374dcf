import { EvaluateRollout } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from './suite-check.js';

const delta = (points: number, low: number, high: number): object => ({
  ...{ grader: 0, passed: 5, of: 10, rate: null },
  delta: { points, low, high, better: 0, worse: 0, items: 10, is_certain: low > 0 || high < 0 },
});
const wins = (grader: number, low: number, high: number): object => ({
  ...{ grader, wins: 2, losses: 8, ties: 0, unread: 0 },
  rate: { share: 0.2, low, high },
});
/** An evaluation that is over, with these results of the candidate. */
const evaluated = (graders: readonly object[], preferences: readonly object[] = [], more: object = {}) =>
  outcomeOf(
    EvaluateRollout.reply.parse({
      ...{ evaluation: 9, suite_name: 'support', state: 'succeeded', detail: null, done: 20, total: 20, has_changed: false },
      graders: ['exact', 'judge', 'people'],
      result: { deployment: 2, answered: 10, failed: 0, median_ms: null, graders, preferences },
      ...more,
    }),
  );

describe('a suite', () => {
  it('speaks against a candidate by a whole interval alone', () => {
    expect(evaluated([delta(-50, -80, -1)])).toMatchObject({ state: 'worse', figures: [{ grader: 'exact', is_worse: true }] });
    expect(evaluated([delta(-50, -80, 0)])).toMatchObject({ state: 'passed', figures: [{ value: -50, is_worse: false }] });
    expect(evaluated([delta(50, 1, 80)], [wins(1, 0.2, 0.49)]).state).toBe('worse');
    expect(evaluated([delta(50, 1, 80)], [wins(1, 0.2, 0.5)]).state).toBe('passed');
  });

  it('names each grader that is against it', () => {
    expect(evaluated([delta(-50, -80, -1.26)], [wins(1, 0.057, 0.49)]).detail).toBe(
      'The suite support (evaluation 9): exact differs from stable by -50 points on 10 items (95 %: -80 to -1.3); the judge prefers the candidate in 20 % of 10 items (95 %: 5.7 to 49 %).',
    );
    expect(evaluated([delta(0, -5, 5)]).detail).toContain('no grader is certainly worse');
  });

  it('leaves the votes of people to people', () => {
    expect(evaluated([], [wins(2, 0, 0.1)])).toMatchObject({ state: 'passed', figures: [] });
  });

  it('decides nothing before its evaluation is over', () => {
    for (const state of ['queued', 'running']) expect(evaluated([delta(-50, -80, -1)], [], { state }).state).toBe('running');
  });

  it('decides nothing by an evaluation without a result', () => {
    const failed = evaluated([], [], { state: 'failed', detail: 'deployment-2 is stopped.', result: null });
    expect(failed).toMatchObject({ state: 'failed', detail: 'Evaluation 9 by the suite support has failed. deployment-2 is stopped.' });
    expect(evaluated([], [], { state: 'cancelled' })).toMatchObject({ state: 'failed', detail: expect.stringContaining('was cancelled') });
    expect(evaluated([delta(-50, -80, -1)], [], { has_changed: true })).toMatchObject({ state: 'failed', figures: [] });
  });
});
