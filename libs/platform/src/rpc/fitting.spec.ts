import { expect, it } from 'vitest';
import { fitting } from './fitting.js';

it('cuts a list to one reply', () => {
  const items = Array.from({ length: 100 }, () => 'ü'.repeat(48));
  expect(fitting(items)).toEqual(items);
  expect(fitting(items, 1_000)).toHaveLength(10);
  expect(Buffer.byteLength(JSON.stringify(fitting(items, 1_000)))).toBeLessThanOrEqual(1_001);
  expect(fitting([])).toEqual([]);
});

it('returns at least one item, however large', () => {
  expect(fitting(['x'.repeat(50), 'y'], 10)).toEqual(['x'.repeat(50)]);
});
