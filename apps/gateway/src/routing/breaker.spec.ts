import { describe, expect, it } from 'vitest';
import { Breaker } from './known-worker.js';

const failed = (times: number, now = 0): Breaker => {
  const breaker = new Breaker();
  for (let i = 0; i < times; i += 1) breaker.failed(now);
  return breaker;
};

describe('the breaker of a worker', () => {
  it('opens for 5 s after five failed starts', () => {
    expect(failed(4).allows(0)).toBe(true);
    expect(failed(5).allows(4_999)).toBe(false);
    expect(failed(5).allows(5_000)).toBe(true);
  });

  it('allows one trial start, and no second meanwhile', () => {
    const breaker = failed(5);
    breaker.started();
    expect(breaker.allows(6_000)).toBe(false);
  });

  it('opens again or closes by the trial’s result', () => {
    const breaker = failed(5);
    breaker.started();
    breaker.failed(6_000);
    expect(breaker.allows(10_999)).toBe(false);
    expect(breaker.allows(11_000)).toBe(true);
    breaker.started();
    breaker.succeeded();
    expect(breaker.allows(11_000)).toBe(true);
    breaker.failed(11_000);
    expect(breaker.allows(11_000)).toBe(true);
  });

  it('allows another trial after an undecided one', () => {
    const breaker = failed(5);
    breaker.started();
    breaker.undecided();
    expect(breaker.allows(6_000)).toBe(true);
  });

  it('is closed by a success in between', () => {
    const breaker = failed(4);
    breaker.succeeded();
    breaker.failed(0);
    expect(breaker.allows(0)).toBe(true);
  });
});
