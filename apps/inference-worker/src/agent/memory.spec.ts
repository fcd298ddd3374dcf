import { describe, expect, it } from 'vitest';
import { deviceMemory, type MemoryClaim, workerMemory } from './memory.js';

const GIB = 2 ** 30;

const freeMemory = (claims: readonly MemoryClaim[], bound: number | undefined): number => workerMemory(claims, bound).free;

it('the operator’s bound counts what is placed', () => {
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

it('a file that several replicas map counts once', () => {
  const claim = (path: string) => ({ need: 300, mapped: { path, bytes: 200 }, pid: null });
  expect(freeMemory([claim('a'), claim('a'), claim('b'), { need: 50, mapped: null, pid: null }], 1_000)).toBe(250);
});

it('a model’s memory is counted once, taken or not', () => {
  const all = freeMemory([], undefined);
  const loading = freeMemory([{ need: GIB / 4, pid: null }], undefined);
  // This process holds some tens of MiB, which the kernel counts as taken already.
  const held = freeMemory([{ need: GIB / 4, pid: process.pid }], undefined);
  const noise = 64 * 2 ** 20;
  expect(Math.abs(all - loading - GIB / 4)).toBeLessThan(noise);
  if (process.platform === 'linux') expect(held).toBeGreaterThan(loading - noise);
});

describe('memory of GPUs', () => {
  const device = { total: 100, used: 0 };
  const model = (need: number, pid: number | null = null): MemoryClaim => ({ need, mapped: { path: 'a', bytes: need / 2 }, pid });

  it('is what models to come leave, and what others took', () => {
    expect(deviceMemory([], device)).toEqual({ free: 100, total: 100 });
    expect(deviceMemory([model(30)], device).free).toBe(70);
    expect(deviceMemory([model(30, 7)], { ...device, used: 45 }).free).toBe(55);
    expect(deviceMemory([model(80)], { ...device, used: 130 }).free).toBe(0);
  });

  it('counts a file once for each process that has it', () => {
    expect(deviceMemory([model(30, 7), model(30, 8), model(30)], device).free).toBe(10);
    expect(deviceMemory([model(30, 7), model(30, 7)], device).free).toBe(55);
  });

  it('is at most what the operator gives', () => {
    expect(deviceMemory([model(30)], device, 50)).toEqual({ free: 20, total: 50 });
  });
});
