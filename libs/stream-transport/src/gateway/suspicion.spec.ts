import { describe, expect, it } from 'vitest';
import { Suspicion } from './worker-peers.js';

const LONG_AGO = Number.NEGATIVE_INFINITY;
const create = (): Suspicion => new Suspicion({ suspicionMs: 250, settleMs: 2_000 });

describe('the suspicion that a worker is dead', () => {
  it('is confirmed by a second report after 250 ms', () => {
    const suspicion = create();
    expect(suspicion.noResponders(10_000, LONG_AGO)).toBe(false);
    expect(suspicion.probeDue(10_200)).toBe(false);
    expect(suspicion.probeDue(10_250)).toBe(true);
    expect(suspicion.probeDue(10_300)).toBe(false);
    expect(suspicion.noResponders(10_251, LONG_AGO)).toBe(true);
  });

  it('is not confirmed by reports closer together', () => {
    const suspicion = create();
    suspicion.noResponders(10_000, LONG_AGO);
    expect(suspicion.noResponders(10_100, LONG_AGO)).toBe(false);
    expect(suspicion.noResponders(10_249, LONG_AGO)).toBe(false);
    expect(suspicion.noResponders(10_250, LONG_AGO)).toBe(true);
  });

  it('ends when the worker answers', () => {
    const suspicion = create();
    suspicion.noResponders(10_000, LONG_AGO);
    suspicion.clear();
    expect(suspicion.probeDue(10_400)).toBe(false);
    expect(suspicion.noResponders(10_400, LONG_AGO)).toBe(false);
  });

  it('does not arise within 2 s of a reconnect', () => {
    const suspicion = create();
    expect(suspicion.noResponders(10_000, 9_500)).toBe(false);
    expect(suspicion.noResponders(10_400, 9_500)).toBe(false);
    expect(suspicion.noResponders(11_400, 9_500)).toBe(false);
    expect(suspicion.noResponders(11_600, 9_500)).toBe(false);
    expect(suspicion.noResponders(11_850, 9_500)).toBe(true);
  });

  it('restarts when the connection breaks in between', () => {
    const suspicion = create();
    suspicion.noResponders(10_000, LONG_AGO);
    expect(suspicion.noResponders(10_300, 10_200)).toBe(false);
    expect(suspicion.noResponders(12_200, 10_200)).toBe(false);
  });
});
