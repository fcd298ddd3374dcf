import { describe, expect, it } from 'vitest';
import { pageOf } from './page.js';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('a page', () => {
  it('holds everything where everything fits', () => {
    const entries = ['a', 'b', 'ü'];
    expect(pageOf(entries, bytesOf(entries))).toBe(entries);
  });

  it('ends before the entry that would make it too long, counted in bytes and not in letters', () => {
    const entries = Array.from({ length: 50 }, (_, i) => ({ name: 'ü'.repeat(i) }));
    const page = pageOf(entries, 1_000);
    expect(bytesOf(page)).toBeLessThanOrEqual(1_000);
    expect(bytesOf(entries.slice(0, page.length + 1))).toBeGreaterThan(1_000);
    expect(page).toEqual(entries.slice(0, page.length));
  });

  it('holds one entry that is too long by itself', () => {
    expect(pageOf(['x'.repeat(100), 'y'], 10)).toEqual(['x'.repeat(100)]);
  });

  it('of nothing is empty', () => {
    expect(pageOf([], 10)).toEqual([]);
  });
});
