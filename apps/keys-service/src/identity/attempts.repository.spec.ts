import { expect, it } from 'vitest';
import { networkOf } from './attempts.repository.js';

it.each([
  ['192.0.2.7', '192.0.2'],
  ['::ffff:192.0.2.250', '192.0.2'],
  ['2001:db8:1:22ff::1', '20010db8000122'],
  ['2001:db8:1:2200:a:b:c:d', '20010db8000122'],
  ['2001:DB8:1:22aa::', '20010db8000122'],
  ['::1', '00000000000000'],
  ['fe80::1%eth0', 'fe800000000000'],
  ['', 'unknown'],
  ['not an address', 'unknown'],
])('counts the address %j to the network %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
