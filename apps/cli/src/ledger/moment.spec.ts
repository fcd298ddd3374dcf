import { describe, expect, it } from 'vitest';
import { moment } from './moment.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('a moment of the past', () => {
  it.each([
    ['90m', '2026-03-01T10:30:00.000Z'],
    ['24h', '2026-02-28T12:00:00.000Z'],
    ['7d', '2026-02-22T12:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T08:30Z', '2026-01-31T08:30:00.000Z'],
  ])('%s', (text, wanted) => {
    expect(moment('from', text, NOW)).toBe(wanted);
  });

  it.each(['', 'yesterday', '7', '2026-13-01', '2026-01-31T08:30', '-7d', '2026'])('"%s" is refused', (text) => {
    expect(() => moment('from', text, NOW)).toThrow('--from takes');
  });
});
