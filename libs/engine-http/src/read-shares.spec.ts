import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadShares } from './read-shares.js';

const KIB = 1024;
const [HEAVY, OTHER, LIGHT] = [1, 2, 3];

describe('shares of what engines say', () => {
  let shares: ReadShares;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    shares = new ReadShares({ bytesPerS: 400 * KIB, freeBytesPerS: 100 * KIB, burstBytes: 100 * KIB, now: () => Date.now() });
  });
  afterEach(() => void vi.useRealTimers());

  /** Reads so much at once, again and again as soon as it may. @returns what was read, by name. */
  function reader(account: number, piece = 10 * KIB, inside = false): { bytes: number } {
    const pace = shares.paceOf(account);
    const read = { bytes: 0 };
    const goOn = (): void => {
      do read.bytes += piece;
      while (pace.take(piece, inside, goOn));
    };
    queueMicrotask(goOn);
    return read;
  }

  /** An account that has a token read every 20 ms. @returns how often it had to wait. */
  function tokens(account: number): { waits: number } {
    const pace = shares.paceOf(account);
    const seen = { waits: 0 };
    const step = (): void => void (pace.take(200, false, () => undefined) || (seen.waits += 1));
    step();
    setInterval(step, 20);
    return seen;
  }

  it('never let one that says little wait, whatever the others do', async () => {
    const light = tokens(LIGHT);
    reader(HEAVY);
    reader(OTHER);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(light.waits).toBe(0);
  });

  it('bound an account that says as much as it can beside another', async () => {
    tokens(LIGHT);
    const heavy = reader(HEAVY);
    await vi.advanceTimersByTimeAsync(10_000);
    // 10 s at 500 KiB/s, and its burst.
    expect(heavy.bytes / KIB).toBeGreaterThan(4_900);
    expect(heavy.bytes / KIB).toBeLessThan(5_250);
  });

  it('are even between accounts, however many readers each has', async () => {
    tokens(LIGHT);
    const many = Array.from({ length: 8 }, () => reader(HEAVY));
    const one = reader(OTHER);
    await vi.advanceTimersByTimeAsync(10_000);
    const ofMany = many.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(ofMany / one.bytes).toBeGreaterThan(0.9);
    expect(ofMany / one.bytes).toBeLessThan(1.1);
    const each = many.map(({ bytes }) => bytes / KIB);
    // The first had the burst.
    expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(110);
  });

  it('let an account that is alone say as much as it can', () => {
    const pace = shares.paceOf(HEAVY);
    const refused = Array.from({ length: 1_000 }, () => pace.take(10 * KIB, false, () => undefined)).filter((may) => !may);
    expect(refused).toEqual([]);
  });

  it('let one large event of an account arrive after the other', async () => {
    tokens(LIGHT);
    const done: string[] = [];
    const pieces = 20;
    for (const name of ['a', 'b']) {
      const pace = shares.paceOf(HEAVY);
      let left = pieces;
      const goOn = (): void => {
        do {
          left -= 1;
          if (left === 0) done.push(name);
        } while (left > 0 && pace.take(10 * KIB, true, goOn));
      };
      goOn();
    }
    await vi.advanceTimersByTimeAsync(100_000);
    expect(done).toEqual(['b', 'a']);
  });

  it('count an event in several pieces four times', async () => {
    tokens(LIGHT);
    const heavy = reader(HEAVY, 10 * KIB, true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heavy.bytes / KIB).toBeGreaterThan(1_200);
    expect(heavy.bytes / KIB).toBeLessThan(1_400);
  });

  it('are forgotten when nothing is owed, so that accounts of the past cost no memory', () => {
    for (let account = 1; account <= 1_001; account += 1) {
      shares.paceOf(account).take(KIB, false, () => undefined);
      vi.advanceTimersByTime(100);
    }
    expect(shares.size).toBeLessThan(10);
  });
});
