import { expect, it } from 'vitest';
import { fitting, idOf, pageOf } from './fitting.js';

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

it('names the next page only where more rows follow', () => {
  const rows = [{ id: 4 }, { id: 7 }, { id: 9 }];
  expect(pageOf(rows, 2, idOf)).toEqual({ items: [{ id: 4 }, { id: 7 }], next: 7 });
  expect(pageOf(rows, 3, idOf)).toEqual({ items: rows, next: null });
  expect(pageOf([], 3, idOf)).toEqual({ items: [], next: null });
  const large = [1, 2, 3].map((id) => ({ id, text: 'x'.repeat(400 * 1024) }));
  expect(pageOf(large, 3, idOf)).toEqual({ items: large.slice(0, 2), next: 2 });
});
