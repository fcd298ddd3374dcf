import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FeedReads } from './sql-feed-store.js';

describe('statements of feeds', () => {
  let reads: FeedReads;
  const ends: (() => void)[] = [];
  const begin = (): Promise<void> => reads.run(() => new Promise((resolve) => ends.push(resolve)));

  beforeEach(() => {
    vi.useFakeTimers();
    reads = new FeedReads();
    ends.length = 0;
  });
  afterEach(() => void vi.useRealTimers());

  it('run one after the other while they are few', async () => {
    const all = [begin(), begin(), begin()];
    for (let i = 1; i <= 3; i += 1) {
      expect(ends).toHaveLength(i);
      ends[i - 1]?.();
      await all[i - 1];
      await Promise.resolve();
    }
  });

  it('run side by side when many wait', () => {
    for (let i = 0; i < 10; i += 1) void begin();
    expect(ends).toHaveLength(2);
  });

  it('do not wait for one that hangs', () => {
    void begin();
    vi.advanceTimersByTime(100);
    void begin();
    expect(ends).toHaveLength(2);
  });

  it('go on after one that failed', async () => {
    const failing = reads.run(() => Promise.reject(new Error('refused')));
    const next = reads.run(() => Promise.resolve(7));
    await expect(failing).rejects.toThrow('refused');
    expect(await next).toBe(7);
  });
});
