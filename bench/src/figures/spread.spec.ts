import { describe, expect, it } from 'vitest';
import { medianOf, robustDeviation, spreadOf } from './spread.js';

describe('figures of several rounds', () => {
  it('have the middle one as their median', () => {
    expect([medianOf([9, 1, 5]), medianOf([4, 1, 2, 3]), medianOf([7])]).toEqual([5, 2.5, 7]);
    expect(medianOf([])).toBeNaN();
  });

  it('have a lowest and a highest one, or nothing', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
    expect(spreadOf([])).toBeNull();
  });

  it('have a deviation that one outlier does not move', () => {
    expect(robustDeviation([10, 11, 12, 13, 14])).toBeCloseTo(1.48);
    expect(robustDeviation([10, 11, 12, 13, 999])).toBeCloseTo(1.48);
    expect(robustDeviation([5])).toBe(0);
  });
});
