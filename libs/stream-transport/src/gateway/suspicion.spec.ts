import { describe, expect, it } from 'vitest';
import { Suspicion } from './suspicion.js';

const LONG_AGO = Number.NEGATIVE_INFINITY;
const create = (): Suspicion => new Suspicion({ suspicionMs: 250, settleMs: 2_000 });

describe('the suspicion that a worker is dead', () => {
  it('is confirmed by a second answer 250 ms after the first, and asks for it once', () => {
    const suspicion = create();
    expect(suspicion.nobodyServes(10_000, LONG_AGO)).toBe(false);
    expect(suspicion.probeDue(10_200)).toBe(false);
    expect(suspicion.probeDue(10_250)).toBe(true);
    expect(suspicion.probeDue(10_300)).toBe(false);
    expect(suspicion.nobodyServes(10_251, LONG_AGO)).toBe(true);
  });

  it('is not confirmed by answers that come closer together', () => {
    const suspicion = create();
    suspicion.nobodyServes(10_000, LONG_AGO);
    expect(suspicion.nobodyServes(10_100, LONG_AGO)).toBe(false);
    expect(suspicion.nobodyServes(10_249, LONG_AGO)).toBe(false);
    expect(suspicion.nobodyServes(10_250, LONG_AGO)).toBe(true);
  });

  it('ends when the worker answers', () => {
    const suspicion = create();
    suspicion.nobodyServes(10_000, LONG_AGO);
    suspicion.clear();
    expect(suspicion.probeDue(10_400)).toBe(false);
    expect(suspicion.nobodyServes(10_400, LONG_AGO)).toBe(false);
  });

  it('does not arise within two seconds of the own reconnect, when workers may not be back yet', () => {
    const suspicion = create();
    expect(suspicion.nobodyServes(10_000, 9_500)).toBe(false);
    expect(suspicion.nobodyServes(10_400, 9_500)).toBe(false);
    expect(suspicion.nobodyServes(11_400, 9_500)).toBe(false);
    expect(suspicion.nobodyServes(11_600, 9_500)).toBe(false);
    expect(suspicion.nobodyServes(11_850, 9_500)).toBe(true);
  });

  it('starts anew when the own connection breaks between the two answers', () => {
    const suspicion = create();
    suspicion.nobodyServes(10_000, LONG_AGO);
    expect(suspicion.nobodyServes(10_300, 10_200)).toBe(false);
    expect(suspicion.nobodyServes(12_200, 10_200)).toBe(false);
  });
});
