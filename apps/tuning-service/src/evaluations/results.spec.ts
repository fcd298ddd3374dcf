import { type ComparedDeployment, DeploymentId, type Grader } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { JudgementRow, Preference } from './answers.repository.js';
import { majority, resultsOf, type Scores, settled } from './results.js';

const deployments = [1, 2].map((id): ComparedDeployment => ({
  deployment: DeploymentId.parse(id),
  name: `d${id}`,
  revision: 1,
  adapter: null,
  has_changed: false,
}));
const graders: Grader[] = [
  { kind: 'exact' },
  { kind: 'judge', deployment: DeploymentId.parse(3), rubric: 'Prefer the shorter one.' },
  { kind: 'people' },
];
const answer = (n: number, place: number, passed: boolean, error: string | null = null) => ({
  ...{ n, place, error, ms: 10 * n },
  passed: [passed, null, null],
});
const judged = (n: number, ...verdicts: Preference[]): JudgementRow[] =>
  verdicts.map((verdict, turn) => ({ grader: 1, n, place: 1, turn, verdict }));
const scores: Scores = {
  answers: [
    ...[answer(1, 0, true), answer(2, 0, false), answer(3, 0, false), answer(4, 0, true)],
    ...[answer(1, 1, true), answer(2, 1, true), answer(3, 1, false, 'context_length_exceeded')],
  ],
  judgements: [...judged(1, 'better', 'better'), ...judged(2, 'better', 'worse'), ...judged(3, 'worse')],
  votes: [
    { n: 1, place: 1, voter: 7, verdict: 'worse' },
    { n: 1, place: 1, voter: 8, verdict: 'worse' },
    { n: 2, place: 1, voter: 7, verdict: 'better' },
  ],
};

describe('results', () => {
  it('compare each deployment with the baseline, item by item', () => {
    const [base, tuned] = resultsOf({ graders, deployments }, scores);
    expect(base).toMatchObject({ answered: 4, failed: 0, median_ms: 25, graders: [{ passed: 2, of: 4, delta: null }], preferences: [] });
    expect(tuned).toMatchObject({ answered: 2, failed: 1, median_ms: 15 });
    expect(tuned?.graders).toMatchObject([{ grader: 0, passed: 2, of: 3, delta: { better: 1, worse: 0, items: 3, is_certain: false } }]);
    expect(tuned?.graders[0]?.delta?.points).toBeCloseTo(33.3, 1);
  });

  it('count judges and people apart', () => {
    const [, tuned] = resultsOf({ graders, deployments }, scores);
    expect(tuned?.preferences).toMatchObject([
      { grader: 1, wins: 1, losses: 0, ties: 1, unread: 0, rate: { share: 1 } },
      { grader: 2, wins: 1, losses: 1, ties: 0, rate: { share: 0.5 } },
    ]);
  });

  it('take a verdict that depends on the order as a tie', () => {
    expect([
      settled(['better', 'worse']),
      settled(['better', 'better']),
      settled(['better', 'tie']),
      settled(['better', 'unread']),
    ]).toEqual([...['tie', 'better', 'tie', 'unread']]);
    expect(settled(['better'])).toBeNull();
  });

  it('follow the majority of votes', () => {
    expect([majority(['better', 'better', 'worse']), majority(['better', 'worse']), majority(['worse', 'tie'])]).toEqual([
      ...['better', 'tie', 'worse'],
    ]);
  });
});
