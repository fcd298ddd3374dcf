import { expect, it } from 'vitest';
import { TermFence } from './term-fence.js';

const ticks = (fence: TermFence, count: number): void => {
  for (let tick = 0; tick < count; tick += 1) fence.tick();
};

it('a lower term is kept out for as long as the higher one is heard', () => {
  const fence = new TermFence();
  expect(fence.admits(5)).toBe(true);
  for (let heard = 0; heard < 100; heard += 1) {
    ticks(fence, 2);
    expect(fence.admits(4)).toBe(false);
    expect(fence.admits(5)).toBe(true);
  }
  expect(fence.admits(6)).toBe(true);
  expect(fence.admits(5)).toBe(false);
});

it('a lower term is obeyed once the higher one was silent for 30 s: the database went back', () => {
  const fence = new TermFence();
  fence.admits(900);
  ticks(fence, 29);
  expect(fence.admits(3)).toBe(false);
  ticks(fence, 1);
  expect(fence.admits(3)).toBe(true);
  expect(fence.admits(2)).toBe(false);
});
