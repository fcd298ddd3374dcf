import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hedged } from './snapshot-loader.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => undefined);

it('asks once when the answer comes soon', async () => {
  const ask = vi.fn(() => Promise.resolve('soon'));
  await expect(hedged(ask)).resolves.toBe('soon');
  expect(ask).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not repeat a quick refusal', async () => {
  const ask = vi.fn(() => Promise.reject(new Error('no')));
  await expect(hedged(ask)).rejects.toThrow('no');
  expect(ask).toHaveBeenCalledTimes(1);
});

it('asks again when a replica stays silent', async () => {
  const answers = [never, Promise.resolve('from another')];
  const answer = hedged(() => answers.shift() ?? never);
  await vi.advanceTimersByTimeAsync(300);
  await expect(answer).resolves.toBe('from another');
});

it('takes the first answer even when late', async () => {
  let settle: (value: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => (settle = resolve));
  const answers = [late, never];
  const answer = hedged(() => answers.shift() ?? never);
  await vi.advanceTimersByTimeAsync(400);
  settle('late');
  await expect(answer).resolves.toBe('late');
});

it('reports the first of two failures', async () => {
  let fail: (error: Error) => void = () => undefined;
  const slow = new Promise<string>((_, reject) => (fail = reject));
  const asks = [() => slow, () => Promise.reject(new Error('second'))];
  const failure = hedged(() => asks.shift()?.() ?? never).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(300);
  fail(new Error('first'));
  await expect(failure).resolves.toMatchObject({ message: 'first' });
});
