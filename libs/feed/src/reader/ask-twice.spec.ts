import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askTwice } from './ask-twice.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => undefined);

it('an answer that comes soon is asked for once', async () => {
  const ask = vi.fn(() => Promise.resolve('soon'));
  await expect(askTwice(ask)).resolves.toBe('soon');
  expect(ask).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('a refusal that comes soon is not asked again', async () => {
  const ask = vi.fn(() => Promise.reject(new Error('no')));
  await expect(askTwice(ask)).rejects.toThrow('no');
  expect(ask).toHaveBeenCalledTimes(1);
});

it('a silent replica is helped by a second question, and the first answer counts', async () => {
  const answers = [never, Promise.resolve('from another')];
  const answer = askTwice(() => answers.shift() ?? never);
  await vi.advanceTimersByTimeAsync(300);
  await expect(answer).resolves.toBe('from another');
});

it('a late first answer still counts', async () => {
  let settle: (value: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => (settle = resolve));
  const answers = [late, never];
  const answer = askTwice(() => answers.shift() ?? never);
  await vi.advanceTimersByTimeAsync(400);
  settle('late');
  await expect(answer).resolves.toBe('late');
});

it('two failures are told as the first', async () => {
  let fail: (error: Error) => void = () => undefined;
  const slow = new Promise<string>((_, reject) => (fail = reject));
  const asks = [() => slow, () => Promise.reject(new Error('second'))];
  const failure = askTwice(() => asks.shift()?.() ?? never).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(300);
  fail(new Error('first'));
  await expect(failure).resolves.toMatchObject({ message: 'first' });
});
