import { describe, expect, it } from 'vitest';
import { goesOn, worthOf } from './session-times.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const at = (msAgo: number): Date => new Date(NOW - msAgo);
const session = { generation: 5, rotatedAt: at(0), expiresAt: at(-24 * HOUR), endedAt: null };

describe('a session', () => {
  it.each([
    ['goes on while it is used', session, true],
    ['goes on after eleven idle hours', { ...session, rotatedAt: at(11 * HOUR) }, true],
    ['is over after twelve idle hours', { ...session, rotatedAt: at(12 * HOUR) }, false],
    ['is over at its absolute end, however fresh', { ...session, expiresAt: at(0) }, false],
    ['is over when it was ended', { ...session, endedAt: at(1) }, false],
  ])('%s', (_, dated, expected) => {
    expect(goesOn(dated, NOW)).toBe(expected);
  });
});

describe('a refresh token', () => {
  it('of the present generation is good', () => {
    expect(worthOf(session, 5, NOW)).toBe('good');
  });

  it('of the generation before is late for ten seconds, then reused', () => {
    expect(worthOf({ ...session, rotatedAt: at(9_999) }, 4, NOW)).toBe('late');
    expect(worthOf({ ...session, rotatedAt: at(10_000) }, 4, NOW)).toBe('reused');
  });

  it('of an older generation is reused at once', () => {
    expect(worthOf(session, 3, NOW)).toBe('reused');
  });
});
