import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Patience } from './patience.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { firstOutputMs: 600_000, silenceMs: 120_000 };

it('an engine without a first output in time is given up with a timeout', () => {
  const patience = new Patience(limits, new AbortController().signal);
  vi.advanceTimersByTime(599_999);
  expect(patience.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(patience.signal.reason).toMatchObject({ code: 'timeout' });
});

it('an engine that falls silent after its first output is given up after 120 s, and not while it speaks', () => {
  const patience = new Patience(limits, new AbortController().signal);
  patience.output();
  for (let spoken = 0; spoken < 20; spoken += 1) {
    vi.advanceTimersByTime(119_000);
    patience.output();
  }
  expect(patience.signal.aborted).toBe(false);
  vi.advanceTimersByTime(120_000);
  expect(patience.signal.reason).toMatchObject({ code: 'engine_error' });
});

it('a generation that is over is not judged any more', () => {
  const patience = new Patience(limits, new AbortController().signal);
  patience.output();
  patience.stop();
  vi.advanceTimersByTime(1_000_000);
  expect(patience.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it('the signal of the request ends the wait too, and nobody is blamed for it', () => {
  const request = new AbortController();
  const patience = new Patience(limits, request.signal);
  request.abort('the client left');
  expect(patience.signal.reason).toBe('the client left');
  expect(patience.loss).toBeNull();
  expect(new Patience(limits, request.signal).signal.aborted).toBe(true);
});
