import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchedLookups } from './batched-lookups.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lookups in a table of keys; `asked` gets the number of MACs of each query. */
function table(): { lookups: BatchedLookups<{ mac: Buffer }>; rows: Buffer[]; asked: number[] } {
  const rows: Buffer[] = [];
  const asked: number[] = [];
  const ask = (macs: readonly Buffer[]): Promise<{ mac: Buffer }[]> => {
    asked.push(macs.length);
    return Promise.resolve(rows.filter((row) => macs.some((mac) => mac.equals(row))).map((mac) => ({ mac })));
  };
  return { lookups: new BatchedLookups(ask, () => Date.now()), rows, asked };
}
const later = async <T>(ms: number, answer: Promise<T>): Promise<T> => {
  await vi.advanceTimersByTimeAsync(ms);
  return answer;
};

describe('keys that are looked up', () => {
  it('share one query every 50 ms when guessed', async () => {
    const { lookups, asked } = table();
    for (let second = 0; second < 20; second += 1) {
      const answers = Promise.all(Array.from({ length: 25 }, () => lookups.find([randomBytes(32)])));
      expect(await later(50, answers)).toEqual(Array.from({ length: 25 }, () => null));
    }
    expect(asked.length).toBeLessThanOrEqual(21);
    expect(asked.reduce((sum, macs) => sum + macs, 0)).toBe(500);
  });

  it('are found among guesses under each pepper', async () => {
    const { lookups, rows } = table();
    const [right, old] = [randomBytes(32), randomBytes(32)];
    rows.push(old);
    const guesses = Array.from({ length: 600 }, () => lookups.find([randomBytes(32)]));
    const answer = lookups.find([right, old]);
    expect(await later(200, answer)).toEqual({ mac: old });
    expect(await later(200, Promise.all(guesses))).toEqual(guesses.map(() => null));
  });

  it('are queried each time once they were valid', async () => {
    const { lookups, rows, asked } = table();
    const mac = randomBytes(32);
    rows.push(mac);
    expect(await later(50, lookups.find([mac]))).toEqual({ mac });
    expect(await lookups.find([mac])).toEqual({ mac });
    rows.pop();
    expect(await lookups.find([mac])).toBeNull();
    expect(asked).toHaveLength(3);
  });

  it('are refused without a query for two seconds', async () => {
    const { lookups, rows, asked } = table();
    const mac = randomBytes(32);
    expect(await later(50, lookups.find([mac]))).toBeNull();
    expect(await lookups.find([mac])).toBeNull();
    expect(asked).toHaveLength(1);
    rows.push(mac);
    expect(await later(3_000, Promise.resolve())).toBeUndefined();
    expect(await later(50, lookups.find([mac]))).toEqual({ mac });
  });

  it('are queried again after a failed query', async () => {
    let fails = true;
    const lookups = new BatchedLookups<{ mac: Buffer }>(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve([])));
    const failure = lookups.find([randomBytes(32)]).catch((error: unknown) => error);
    expect(await later(50, failure)).toMatchObject({ message: 'away' });
    fails = false;
    expect(await later(100, lookups.find([randomBytes(32)]))).toBeNull();
  });
});
