import { describe, expect, it } from 'vitest';
import { trustOf } from './feed-trust.js';

describe('the trust in the key feed', () => {
  it('bridges an absent service for the grace, and no longer', () => {
    expect(trustOf({ state: 'absent', ageMs: 300_000 }, 300_000)).toBe('absent');
    expect(trustOf({ state: 'absent', ageMs: 300_001 }, 300_000)).toBe('cut_off');
    expect(trustOf({ state: 'absent', ageMs: 1 }, 0)).toBe('cut_off');
  });

  it('bridges nothing before the first snapshot', () => {
    expect(trustOf({ state: 'absent', ageMs: Number.POSITIVE_INFINITY }, 300_000)).toBe('cut_off');
  });

  it('is what the feed says otherwise', () => {
    expect(trustOf({ state: 'fresh', ageMs: 10 }, 0)).toBe('fresh');
    expect(trustOf({ state: 'cut_off', ageMs: 4_000 }, 300_000)).toBe('cut_off');
  });
});
