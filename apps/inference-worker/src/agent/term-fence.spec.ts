import { expect, it } from 'vitest';
import { TermFence } from './term-fence.js';

const ticks = (fence: TermFence, count: number): void => {
  for (let tick = 0; tick < count; tick += 1) fence.tick();
};

it('rejects a lower term while the higher one sends messages', () => {
  const fence = new TermFence();
  expect(fence.admits(5)).toBe(true);
  for (let second = 0; second < 100; second += 1) {
    ticks(fence, 2);
    expect(fence.admits(4)).toBe(false);
    expect(fence.admits(5)).toBe(true);
  }
  expect(fence.admits(6)).toBe(true);
  expect(fence.admits(5)).toBe(false);
});

it('admits a lower term after 30 s without the higher one', () => {
  const fence = new TermFence();
  fence.admits(900);
  ticks(fence, 29);
  expect(fence.admits(3)).toBe(false);
  ticks(fence, 1);
  expect(fence.admits(3)).toBe(true);
  expect(fence.admits(2)).toBe(false);
});
