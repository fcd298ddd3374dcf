import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ticker } from './ticker.js';

describe('a ticker', () => {
  let ticks = 0;
  let busy = false;
  let ticker: Ticker;
  const ticksWithin = (ms: number): number => {
    const before = ticks;
    vi.advanceTimersByTime(ms);
    return ticks - before;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    busy = false;
    ticker = new Ticker({ tickMs: 50, tick: () => (ticks += 1), isBusy: () => busy, clock: () => Date.now() });
    ticker.start();
  });
  afterEach(() => {
    ticker.stop();
    vi.useRealTimers();
  });

  it('ticks once a second at rest', () => {
    // The first second may be cut short, or left out.
    ticksWithin(1_100);
    expect(ticksWithin(10_000)).toBe(10);
  });

  it('ticks at once often when work comes', () => {
    ticksWithin(1_010);
    ticker.wake();
    expect(ticksWithin(1_000)).toBe(20);
  });

  it('ticks often during work and five seconds after', () => {
    busy = true;
    ticker.wake();
    expect(ticksWithin(20_000)).toBe(400);
    busy = false;
    expect(ticksWithin(5_000)).toBeGreaterThanOrEqual(99);
    ticksWithin(250);
    expect(ticksWithin(1_000)).toBe(1);
  });

  it('ticks no more once stopped', () => {
    ticker.stop();
    ticker.wake();
    expect(ticksWithin(1_000)).toBe(0);
  });
});
