import { describe, expect, it } from 'vitest';
import { median, pairedDifference, wilson } from './statistics.js';

describe('figures of an evaluation', () => {
  it('give a share its Wilson interval', () => {
    const { share, low, high } = wilson(81, 263)!;
    expect([share, low, high].map((one) => one.toFixed(4))).toEqual(['0.3080', '0.2553', '0.3662']);
    expect(wilson(0, 10)?.low).toBeCloseTo(0, 9);
    expect(wilson(10, 10)?.high).toBeCloseTo(1, 9);
    expect(wilson(0, 0)).toBeNull();
  });

  it('give a paired difference an interval that never vanishes', () => {
    const few = pairedDifference(10, 4, 100)!;
    expect(few.points).toBe(6);
    expect([few.low, few.high].map((one) => Math.round(one))).toEqual([-2, 13]);
    const none = pairedDifference(0, 0, 100)!;
    expect([none.points, none.low < 0, none.high > 0]).toEqual([0, true, true]);
    expect(pairedDifference(30, 2, 100)!.low).toBeGreaterThan(0);
    expect(pairedDifference(0, 0, 0)).toBeNull();
  });

  it('have the median as usual answer time', () => {
    expect([median([]), median([3]), median([4, 1]), median([9, 1, 2])]).toEqual([null, 3, 2.5, 2]);
  });
});
