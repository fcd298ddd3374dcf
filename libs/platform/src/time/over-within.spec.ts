import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { overWithin } from './over-within.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('overWithin is true for work in time', async () => {
  await expect(overWithin(1_000, Promise.resolve('x'))).resolves.toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('overWithin is false for longer work', async () => {
  const over = overWithin(1_000, new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(over).resolves.toBe(false);
});

it('overWithin rejects with a failure in time', async () => {
  await expect(overWithin(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});

it('overWithin ignores a failure after its time', async () => {
  let fail: (error: Error) => void = () => undefined;
  const over = overWithin(-5, new Promise((_, reject) => (fail = reject)));
  await vi.advanceTimersByTimeAsync(0);
  await expect(over).resolves.toBe(false);
  // An unhandled rejection would fail the run.
  fail(new Error('late'));
});
