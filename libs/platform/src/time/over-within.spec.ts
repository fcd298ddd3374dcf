import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { overWithin } from './over-within.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('work that is over in time is, and leaves no timer behind', async () => {
  await expect(overWithin(1_000, Promise.resolve('x'))).resolves.toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('work that takes longer is not over', async () => {
  const told = overWithin(1_000, new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(told).resolves.toBe(false);
});

it('a failure in time is told, and leaves no timer behind', async () => {
  await expect(overWithin(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});

it('a failure that comes too late is nobody’s', async () => {
  let fail: (error: Error) => void = () => undefined;
  const told = overWithin(-5, new Promise((_, reject) => (fail = reject)));
  await vi.advanceTimersByTimeAsync(0);
  await expect(told).resolves.toBe(false);
  // An unhandled rejection would fail the run.
  fail(new Error('late'));
});
