import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FreshnessMeter } from './feed-position.js';

const STALE_MS = 3_000;
const WITHIN_MS = 2_000;

describe('the next proof', () => {
  let meter: FreshnessMeter;
  beforeEach(() => {
    vi.useFakeTimers();
    meter = new FreshnessMeter({ now: () => performance.now() }, STALE_MS);
    meter.proven(performance.now());
    return () => vi.useRealTimers();
  });

  /** Whether what is awaited has come. */
  async function hasCome(proof: Promise<void> | null): Promise<boolean> {
    let come = false;
    void proof?.then(() => (come = true));
    await vi.advanceTimersByTimeAsync(0);
    return come;
  }

  it('is not awaited while records are fresh', () => {
    vi.advanceTimersByTime(STALE_MS);
    expect(meter.nextProof(WITHIN_MS)).toBeNull();
  });

  it('comes with an answer', async () => {
    vi.advanceTimersByTime(STALE_MS + 100);
    const proof = meter.nextProof(WITHIN_MS);
    expect(await hasCome(proof)).toBe(false);
    meter.proven(performance.now());
    expect(await hasCome(proof)).toBe(true);
    expect([meter.read().state, vi.getTimerCount()]).toEqual(['fresh', 0]);
  });

  it('does not come with one that is too old', async () => {
    const askedAt = performance.now() + 50;
    vi.advanceTimersByTime(STALE_MS + 100);
    const proof = meter.nextProof(WITHIN_MS);
    meter.proven(askedAt);
    expect(await hasCome(proof)).toBe(false);
  });

  it('is given up when its time is over', async () => {
    vi.advanceTimersByTime(STALE_MS + 100);
    const proof = meter.nextProof(WITHIN_MS);
    vi.advanceTimersByTime(1_000);
    expect(meter.nextProof(WITHIN_MS)).toBe(proof);
    vi.advanceTimersByTime(WITHIN_MS - 1_100 - 1);
    expect(await hasCome(proof)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await hasCome(proof)).toBe(true);
    expect([meter.read().state, meter.nextProof(WITHIN_MS)]).toEqual(['cut_off', null]);
  });

  it('is not awaited where the service is absent', () => {
    meter.unproven('absent');
    vi.advanceTimersByTime(STALE_MS + 100);
    expect(meter.nextProof(WITHIN_MS)).toBeNull();
  });

  it('is not awaited before the first one', () => {
    expect(new FreshnessMeter({ now: () => performance.now() }, STALE_MS).nextProof(WITHIN_MS)).toBeNull();
  });

  it('is given up when the reader stops', async () => {
    vi.advanceTimersByTime(STALE_MS + 100);
    const proof = meter.nextProof(WITHIN_MS);
    meter.stop();
    expect(await hasCome(proof)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
