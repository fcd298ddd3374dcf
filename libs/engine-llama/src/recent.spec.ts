import { expect, it } from 'vitest';
import { Recent } from './recent.js';

it('keeps the most recently used values', () => {
  const recent = new Recent<number>(2);
  recent.put('a', 1);
  recent.put('b', 2);
  expect(recent.get('a')).toBe(1);
  expect(recent.put('c', 3)).toBe(3);
  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
});
