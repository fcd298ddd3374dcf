import { expect, it } from 'vitest';
import { freeMemory } from './memory.js';

const GIB = 2 ** 30;

it('the operator’s bound counts what is placed, and nothing is ever negative', () => {
  expect(freeMemory([], 1_000)).toBe(1_000);
  expect(freeMemory([{ need: 600, pid: null }], 1_000)).toBe(400);
  expect(
    freeMemory(
      [
        { need: 600, pid: null },
        { need: 600, pid: null },
      ],
      1_000,
    ),
  ).toBe(0);
});

it('what a model has yet to take is not free, and what its process holds is not counted twice', () => {
  const all = freeMemory([], undefined);
  const loading = freeMemory([{ need: GIB / 4, pid: null }], undefined);
  // This process holds some tens of MiB, which the kernel counts as taken already.
  const held = freeMemory([{ need: GIB / 4, pid: process.pid }], undefined);
  const noise = 64 * 2 ** 20;
  expect(Math.abs(all - loading - GIB / 4)).toBeLessThan(noise);
  if (process.platform === 'linux') expect(held).toBeGreaterThan(loading - noise);
});
