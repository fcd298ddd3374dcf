import { describe, expect, it } from 'vitest';
import { pageOf } from './feed-handlers.js';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('pageOf', () => {
  it('returns all entries where they fit', () => {
    const entries = ['a', 'b', 'ü'];
    expect(pageOf(entries, bytesOf(entries))).toBe(entries);
  });

  it('stops before the entry that exceeds the bytes', () => {
    const entries = Array.from({ length: 50 }, (_, i) => ({ name: 'ü'.repeat(i) }));
    const page = pageOf(entries, 1_000);
    expect(bytesOf(page)).toBeLessThanOrEqual(1_000);
    expect(bytesOf(entries.slice(0, page.length + 1))).toBeGreaterThan(1_000);
    expect(page).toEqual(entries.slice(0, page.length));
  });

  it('returns one entry however long it is', () => {
    expect(pageOf(['x'.repeat(100), 'y'], 10)).toEqual(['x'.repeat(100)]);
  });

  it('returns nothing for an empty list', () => {
    expect(pageOf([], 10)).toEqual([]);
  });
});
