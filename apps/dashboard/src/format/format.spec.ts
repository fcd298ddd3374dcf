import { describe, expect, it } from 'vitest';
import { formatBytes, formatChange, formatCompact, formatCount, formatMs, formatPercent, formatRate, plural } from './number.js';
import { formatDay, formatExact, formatLongDay, formatRelative, formatTimeOfDay, formatUtc } from './time.js';

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
    ['2027-02-19T12:00:20Z', 'in 90 days'],
  ])('%s is %s', (at, text) => {
    expect(formatRelative(at, NOW)).toBe(text);
  });

  it('are shown in UTC, whatever zone the moment was written in', () => {
    expect(formatUtc('2026-11-21T23:30:00-05:00')).toBe('2026-11-22 04:30:00 UTC');
    expect(formatDay('2026-11-21T23:30:00-05:00')).toBe('2026-11-22');
  });

  it('are written in the zone that a person chose', () => {
    const at = '2026-11-21T23:30:07Z';
    expect([formatExact(at, 'utc'), formatTimeOfDay(at, 'utc')]).toEqual(['2026-11-21 23:30:07 UTC', '23:30']);
    expect(formatLongDay(at, 'utc')).toBe('Saturday 21 November 2026');
    const local = formatExact(at, 'local');
    expect(local).toMatch(/^2026-11-2[12] \d\d:\d\d:07 (?:GMT|UTC)/);
    expect(local.slice(11, 13)).toBe(String(new Date(at).getHours()).padStart(2, '0'));
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

  it.each([
    [9_999, '9,999'],
    [12_345, '12.3K'],
    [1_000_000, '1M'],
    [-15_000, '-15K'],
  ])('%i in little space is %s', (count, text) => {
    expect(formatCompact(count)).toBe(text);
  });

  it.each([
    [0.12, '+12 %'],
    [-0.034, '−3.4 %'],
    [0, '0 %'],
    [0.0001, '0 %'],
    [4.2, '+420 %'],
  ])('a change of %d is %s', (share, text) => {
    expect(formatChange(share)).toBe(text);
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
