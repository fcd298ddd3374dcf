import { expect, it } from 'vitest';
import { shuffledOrder } from './shuffle.js';

it('gives each number once, in an order that the seed decides', () => {
  const order = shuffledOrder(1_000, 42);
  expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
  expect(shuffledOrder(1_000, 42)).toEqual(order);
  expect(shuffledOrder(1_000, 43)).not.toEqual(order);
  expect([...shuffledOrder(10, 1)]).toEqual([...shuffledOrder(10, 1)]);
  expect([...shuffledOrder(0, 1), ...shuffledOrder(1, 1)]).toEqual([0]);
});

it('puts every number everywhere equally often', () => {
  const firsts = Array.from({ length: 5 }, () => 0);
  for (let seed = 0; seed < 5_000; seed += 1) firsts[shuffledOrder(5, seed)[0]!]! += 1;
  for (const count of firsts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});
