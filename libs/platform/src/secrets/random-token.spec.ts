import { expect, it } from 'vitest';
import { randomToken } from './random-token.js';

it('randomToken makes 22 evenly distributed characters', () => {
  const tokens = Array.from({ length: 5_000 }, randomToken);
  expect(tokens.every((token) => /^[A-Za-z0-9]{22}$/.test(token))).toBe(true);
  expect(new Set(tokens).size).toBe(tokens.length);
  const counts = new Map<string, number>();
  for (const letter of tokens.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 110,000 letters: 1,774 of each, give or take 42. Eight times that happens once in 10^14 runs.
  for (const count of counts.values()) expect(Math.abs(count - 110_000 / 62)).toBeLessThan(340);
});
