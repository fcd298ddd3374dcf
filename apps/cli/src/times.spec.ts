import { describe, expect, it } from 'vitest';
import { UsageError } from './cli-errors.js';
import { keyExpiry, pastMoment } from './times.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('a moment of the past', () => {
  it.each([
    ['90m', '2026-03-01T10:30:00.000Z'],
    ['24h', '2026-02-28T12:00:00.000Z'],
    ['7d', '2026-02-22T12:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T08:30Z', '2026-01-31T08:30:00.000Z'],
  ])('%s', (text, wanted) => {
    expect(pastMoment(text, NOW)).toBe(wanted);
  });

  it.each(['', 'yesterday', '7', '2026-13-01', '2026-01-31T08:30', '-7d', '2026', '5s'])('"%s" is refused', (text) => {
    expect(() => pastMoment(text, NOW)).toThrow(UsageError);
  });
});

describe('the expiry of a key', () => {
  it.each([
    ['2026-04-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['30d', '2026-03-31T12:00:00.000Z'],
    ['never', 'never'],
  ])('%s', (text, expected) => {
    expect(keyExpiry(text, NOW)).toBe(expected);
  });

  it.each(['', 'soon', '30', '5m', '-1d', '2026-03-01', '2026-13-01T00:00:00Z'])('"%s" is refused', (text) => {
    expect(() => keyExpiry(text, NOW)).toThrow(UsageError);
  });
});
