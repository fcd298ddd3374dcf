import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { PrefillPacer, commonPrefix } from './prefill.js';

describe('PrefillPacer', () => {
  it('takes full chunks for a fast model', () => {
    const pacer = new PrefillPacer();
    for (let i = 0; i < 20; i += 1) pacer.took(128, 20);
    expect(pacer.next()).toBe(128);
  });

  it('takes small chunks for a slow model', () => {
    const pacer = new PrefillPacer();
    // 50 ms per token, as a large model on few cores.
    pacer.took(pacer.next(), pacer.next() * 50);
    expect(pacer.next() * 50).toBeLessThanOrEqual(500);
    expect(pacer.next()).toBeGreaterThan(0);
  });

  it('begins with a small chunk', () => {
    expect(new PrefillPacer().next()).toBeLessThanOrEqual(16);
  });

  it('follows slow measurements faster than fast ones', () => {
    const pacer = new PrefillPacer();
    pacer.took(100, 100);
    pacer.took(100, 2_000);
    expect(pacer.next()).toBeLessThanOrEqual(8);
    pacer.took(8, 8);
    expect(pacer.next()).toBeLessThan(20);
  });
});

describe('commonPrefix', () => {
  const tokens = (...ids: number[]): Token[] => ids as Token[];

  it('counts the tokens shared at the front', () => {
    expect(commonPrefix(tokens(1, 2, 3), tokens(1, 2, 4))).toBe(2);
    expect(commonPrefix(tokens(1, 2), tokens(1, 2, 3))).toBe(2);
    expect(commonPrefix(tokens(), tokens(1))).toBe(0);
    expect(commonPrefix(tokens(2, 1), tokens(1, 2))).toBe(0);
  });
});
