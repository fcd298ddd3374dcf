import { describe, expect, it } from 'vitest';
import { goesOn, worthOf } from './session-times.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const at = (msAgo: number): Date => new Date(NOW - msAgo);
const session = { generation: 5, rotatedAt: at(0), expiresAt: at(-24 * HOUR), endedAt: null, attemptHash: Buffer.alloc(32, 1) };

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
  const same = Buffer.alloc(32, 1);
  const other = Buffer.alloc(32, 2);

  it('of the present generation is good, whatever the attempt', () => {
    for (const attemptHash of [same, other, null]) expect(worthOf(session, { generation: 5, attemptHash })).toBe('good');
  });

  it('of the generation before is good for the attempt that used it, and a theft with any other or none', () => {
    expect(worthOf(session, { generation: 4, attemptHash: same })).toBe('again');
    expect(worthOf(session, { generation: 4, attemptHash: other })).toBe('reused');
    expect(worthOf(session, { generation: 4, attemptHash: null })).toBe('reused');
    expect(worthOf({ ...session, attemptHash: null }, { generation: 4, attemptHash: null })).toBe('reused');
  });

  it('of an older generation is reused', () => {
    expect(worthOf(session, { generation: 3, attemptHash: same })).toBe('reused');
  });
});
