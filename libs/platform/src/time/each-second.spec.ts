import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eachSecond } from './each-second.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_321 }));
afterEach(() => void vi.useRealTimers());

it('eachSecond runs all work in one turn, once a second', () => {
  const runs: string[] = [];
  const ends = ['a', 'b', 'c'].map((name) => eachSecond(() => runs.push(`${name} ${Date.now()}`)));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1_100);
  runs.length = 0;
  vi.advanceTimersByTime(3_000);
  const times = runs.map((run) => Number(run.split(' ')[1]));
  expect(runs.map(([name]) => name).join('')).toBe('abcabcabc');
  expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000, 2_000]);
  for (const end of ends) end();
});

it('eachSecond stops with its last work', () => {
  const work = vi.fn();
  const [first, second] = [eachSecond(work), eachSecond(work)];
  first();
  vi.advanceTimersByTime(2_000);
  second();
  const { length } = work.mock.calls;
  expect(length).toBeGreaterThan(0);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(work).toHaveBeenCalledTimes(length);
});

it('eachSecond starts again after its last work was ended', () => {
  eachSecond(() => undefined)();
  const work = vi.fn();
  const end = eachSecond(work);
  vi.advanceTimersByTime(1_100);
  expect(work).toHaveBeenCalled();
  end();
});

it('eachSecond runs once after the clock was set', () => {
  const work = vi.fn();
  const end = eachSecond(work);
  vi.advanceTimersByTime(1_100);
  work.mockClear();
  vi.setSystemTime(1_700_000_000_000);
  vi.advanceTimersByTime(1_100);
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(1);
  expect(work.mock.calls.length).toBeLessThanOrEqual(2);
  end();
});
