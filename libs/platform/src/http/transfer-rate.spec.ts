import { describe, expect, it } from 'vitest';
import { TransferRate } from './transfer-rate.js';

const KIB = 1024;

function bench() {
  const clock = { now: 0 };
  const rate = new TransferRate({ bytesPerSecond: 64 * KIB, windowMs: 60_000 }, () => clock.now);
  return { clock, rate };
}

describe('the rate of a transfer', () => {
  it('is judged at the end of each window alone', () => {
    const { clock, rate } = bench();
    clock.now = 59_999;
    expect(rate.isBelow()).toBe(false);
    clock.now = 60_000;
    expect(rate.isBelow()).toBe(true);
  });

  it('suffices at its floor, and begins anew afterwards', () => {
    const { clock, rate } = bench();
    rate.note(64 * KIB * 60);
    clock.now = 60_000;
    expect(rate.isBelow()).toBe(false);
    rate.note(64 * KIB * 60 - 1);
    clock.now = 120_000;
    expect(rate.isBelow()).toBe(true);
  });

  it('does not count time in which the client waits', () => {
    const { clock, rate } = bench();
    rate.note(64 * KIB * 60);
    clock.now = 10_000;
    rate.hold();
    clock.now = 500_000;
    expect(rate.isBelow()).toBe(false);
    rate.release();
    clock.now = 550_000;
    expect(rate.isBelow()).toBe(false);
    clock.now = 610_000;
    expect(rate.isBelow()).toBe(true);
  });
});
