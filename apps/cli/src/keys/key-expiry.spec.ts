import { expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { keyExpiry } from './key-expiry.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['12h', '2026-01-01T12:00:00.000Z'],
  ['30d', '2026-01-31T00:00:00.000Z'],
  ['never', null],
])('%s', (text, expected) => {
  expect(keyExpiry(text, NOW)).toBe(expected);
});

it.each(['', 'soon', '30', '5m', '-1d', '2026-03-01', '2026-13-01T00:00:00Z'])('"%s" is refused', (text) => {
  expect(() => keyExpiry(text, NOW)).toThrow(UsageError);
});
