import { describe, expect, it } from 'vitest';
import { RateBuckets } from './rate-buckets.js';

describe('RateBuckets', () => {
  it('refills the bucket of each address', () => {
    const clock = { now: 0 };
    const buckets = new RateBuckets({ perSecond: 1, burst: 2, now: () => clock.now });
    expect([buckets.take('192.0.2.1'), buckets.take('192.0.2.1'), buckets.take('192.0.2.1')]).toEqual([true, true, false]);
    expect(buckets.take('192.0.2.2')).toBe(true);
    clock.now += 1_000;
    expect([buckets.take('192.0.2.1'), buckets.take('192.0.2.1')]).toEqual([true, false]);
  });

  it.each([
    ['2001:db8:7::', (n: number) => `2001:db8:7:${n.toString(16)}::1`, '2001:db8:8::1'],
    ['192.0.2.', (n: number) => `192.0.2.${n}`, '192.0.3.1'],
  ])('bounds all networks within %s together', (_, address, elsewhere) => {
    const buckets = new RateBuckets({ perSecond: 1, burst: 2, now: () => 0 });
    const taken = Array.from({ length: 250 }, (_none, n) => buckets.take(address(n))).filter(Boolean);
    expect(taken.length).toBeGreaterThan(4);
    expect(taken.length).toBeLessThanOrEqual(32);
    expect(buckets.take(elsewhere)).toBe(true);
  });

  it('leaves tokens for the neighbours of an address', () => {
    const buckets = new RateBuckets({ perSecond: 1, burst: 2, now: () => 0 });
    for (let n = 0; n < 100; n += 1) buckets.take('2001:db8::1');
    expect(buckets.take('2001:db8:0:1::1')).toBe(true);
  });
});
