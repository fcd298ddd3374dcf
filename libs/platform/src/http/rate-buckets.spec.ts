import { describe, expect, it } from 'vitest';
import { networkOf, RateBuckets } from './rate-buckets.js';

describe('buckets', () => {
  it('fill again at their rate, each address its own', () => {
    const clock = { now: 0 };
    const buckets = new RateBuckets({ perSecond: 1, burst: 2, now: () => clock.now });
    expect([buckets.take('192.0.2.1'), buckets.take('192.0.2.1'), buckets.take('192.0.2.1')]).toEqual([true, true, false]);
    expect(buckets.take('192.0.2.2')).toBe(true);
    clock.now += 1_000;
    expect([buckets.take('192.0.2.1'), buckets.take('192.0.2.1')]).toEqual([true, false]);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
