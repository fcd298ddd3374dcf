import { describe, expect, it } from 'vitest';
import { networkOf, networksOf } from './networks.js';

describe('networkOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['', ''],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
    ['2001:0DB8:1:02::6', '2001:db8:1:2::/64'],
  ])('maps %s to %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('networksOf', () => {
  it('lists the networks of one customer, widest first', () => {
    expect(networksOf('2001:db8:1:2345::1').map(({ name }) => name)).toEqual([
      '2001:db8:1:0::/48',
      '2001:db8:1:2300::/56',
      '2001:db8:1:2345::/64',
    ]);
    expect(networksOf('::ffff:192.0.2.7').map(({ name }) => name)).toEqual(['192.0.2.0/24', '192.0.2.7']);
  });
});
