import { describe, expect, it } from 'vitest';
import { formatBytes, formatCount, formatMs, formatPercent, formatRate, plural } from './number.js';
import { formatDay, formatRelative, formatUtc } from './time.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('times', () => {
  it.each([
    ['2026-11-21T11:59:50Z', 'just now'],
    ['2026-11-21T11:57:00Z', '3 min ago'],
    ['2026-11-21T02:00:00Z', '10 h ago'],
    ['2026-11-18T12:00:00Z', '3 days ago'],
    ['2026-05-21T12:00:00Z', '6 months ago'],
    ['2026-11-21T12:00:19Z', 'just now'],
    ['2026-11-21T12:00:20Z', 'in a moment'],
    ['2026-12-20T12:00:00Z', 'in 29 days'],
  ])('%s is %s', (at, text) => {
    expect(formatRelative(at, NOW)).toBe(text);
  });

  it('are shown in UTC, whatever zone the moment was written in', () => {
    expect(formatUtc('2026-11-21T23:30:00-05:00')).toBe('2026-11-22 04:30:00 UTC');
    expect(formatDay('2026-11-21T23:30:00-05:00')).toBe('2026-11-22');
  });
});

describe('numbers', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [2_300_000, '2.3 MB'],
    [4_123_456_789, '4.1 GB'],
    [812_000_000_000, '812 GB'],
    [5e15, '5000 TB'],
  ])('%i bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0.4, '0 ms'],
    [999.4, '999 ms'],
    [999.5, '1.0 s'],
    [59_949, '59.9 s'],
    [59_950, '1.0 min'],
  ])('%d ms are %s', (ms, text) => {
    expect(formatMs(ms)).toBe(text);
  });

  it.each([
    [0, '0'],
    [0.004, '<0.01'],
    [0.25, '0.25'],
    [4.24, '4.2'],
    [1_234.5, '1,235'],
  ])('a rate of %d is %s', (rate, text) => {
    expect(formatRate(rate)).toBe(text);
  });

  it('never round progress up to done', () => {
    expect(formatPercent(0.999)).toBe('99 %');
    expect(formatPercent(1)).toBe('100 %');
  });

  it('agree with their nouns', () => {
    expect([plural(1, 'request'), plural(1_234, 'request'), plural(0, 'key')]).toEqual(['1 request', '1,234 requests', '0 keys']);
    expect(formatCount(1_000_000)).toBe('1,000,000');
  });
});
