import { type DeploymentFigures, type DeploymentId, ROLLOUT_CHECKS } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type Histogram, quantile, shiftOf, worseShare } from './figure-tests.js';
import { worse } from './guard.js';

const guard = { requests: 50, checks: [...ROLLOUT_CHECKS] };
const histogram = (...values: readonly (readonly [number, number])[]): [number, number][] => values.map(([value, count]) => [value, count]);
const side = (figures: Partial<DeploymentFigures> = {}): DeploymentFigures => ({
  deployment: 1 as DeploymentId,
  ...{ requests: 1_000, errors: 0, completed: 1_000, cut: 0 },
  ...{ first_token_ms: histogram([90, 500], [110, 500]), answer_tokens: histogram([60, 500], [70, 500]) },
  ...figures,
});
const few = { requests: 60, completed: 60, first_token_ms: histogram([90, 30], [110, 30]), answer_tokens: histogram([60, 30], [70, 30]) };

describe('a candidate', () => {
  it('is kept while both sides answer alike', () => {
    expect(worse(guard, { stable: side(), candidate: side(few) })).toBeNull();
    expect(worse(guard, { stable: side({ errors: 50 }), candidate: side({ ...few, errors: 4 }) })).toBeNull();
  });

  it('is not judged before it has enough requests', () => {
    const candidate = side({ ...few, requests: 49, errors: 49 });
    expect(worse(guard, { stable: side(), candidate })).toBeNull();
    expect(worse({ ...guard, requests: 49 }, { stable: side(), candidate })).toContain('100 % (49 of 49)');
  });

  it('is worse by what fails, is cut, comes late or loops', () => {
    const stable = side();
    expect(worse(guard, { stable, candidate: side({ ...few, errors: 6 }) })).toBe(
      "Failed requests: 10 % (6 of 60) of the candidate's, 0 % (0 of 1000) of stable's.",
    );
    expect(worse(guard, { stable, candidate: side({ ...few, cut: 20 }) })).toContain('token limit: 33.3 % (20 of 60)');
    const late = { ...few, first_token_ms: histogram([110, 10], [400, 50]) };
    expect(worse(guard, { stable, candidate: side(late) })).toBe(
      'Median milliseconds to the first token: 400 with the candidate, 90 with stable.',
    );
    const loops = { ...few, answer_tokens: histogram([70, 5], [4_000, 55]) };
    expect(worse(guard, { stable, candidate: side(loops) })).toContain('Median tokens of an answer: 4000');
  });

  it('is not worse by a single failure', () => {
    expect(worse(guard, { stable: side(), candidate: side({ ...few, errors: 1 }) })).toBeNull();
  });

  it('is not compared by what its guard leaves out', () => {
    const candidate = side({ ...few, cut: 60, errors: 60 });
    expect(worse({ ...guard, checks: [] }, { stable: side(), candidate })).toBeNull();
    expect(worse({ ...guard, checks: ['cut'] }, { stable: side(), candidate })).toContain('token limit');
  });

  it('is not worse than a side without requests', () => {
    const none = { requests: 0, completed: 0, first_token_ms: [], answer_tokens: [] };
    expect(worse(guard, { stable: side(none), candidate: side({ ...few, errors: 60 }) })).toBeNull();
    expect(worse(guard, { stable: side(none), candidate: side(few) })).toBeNull();
  });
});

describe('the test of shares', () => {
  // By hand: 17 of C(8, 4) = 70; 50 of 550; 1 of C(20, 10).
  it.each([
    [{ cases: 3, all: 4 }, { cases: 1, all: 4 }, 0.242857],
    [{ cases: 1, all: 50 }, { cases: 0, all: 500 }, 0.090909],
    [{ cases: 10, all: 10 }, { cases: 0, all: 10 }, 5.4125e-6],
  ])('gives the exact probability of %o beside %o', (one, other, p) => {
    expect(worseShare(one, other)).toBeCloseTo(p, 5);
  });

  it('holds for millions of requests', () => {
    const p = worseShare({ cases: 60_000, all: 1_000_000 }, { cases: 50_000, all: 1_000_000 });
    expect(p).toBeGreaterThanOrEqual(0);
    expect(p).toBeLessThan(1e-9);
    expect(worseShare({ cases: 50_010, all: 1_000_000 }, { cases: 50_000, all: 1_000_000 })).toBeGreaterThan(0.4);
  });
});

describe('the test of ranks', () => {
  it('finds a shift whatever the unit is', () => {
    const low: Histogram = [
      [1, 50],
      [2, 50],
    ];
    const high: Histogram = [
      [2, 50],
      [3, 50],
    ];
    expect(shiftOf(high, low)).toMatchObject({ above: 0.875 });
    expect(shiftOf(high, low).z).toBeGreaterThan(5);
    expect(shiftOf(low, high).z).toBeLessThan(-5);
    expect(shiftOf(low, low)).toEqual({ above: 0.5, z: 0 });
    expect(shiftOf([[1, 5]], [[1, 5]])).toEqual({ above: 0.5, z: 0 });
  });

  it('reads quantiles off a histogram', () => {
    expect(
      quantile(
        [
          [1, 50],
          [2, 45],
          [9, 5],
        ],
        0.5,
      ),
    ).toBe(1);
    expect(
      quantile(
        [
          [1, 50],
          [2, 45],
          [9, 5],
        ],
        0.96,
      ),
    ).toBe(9);
    expect(quantile([], 0.5)).toBeNull();
  });
});
