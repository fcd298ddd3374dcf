import { describe, expect, it } from 'vitest';
import { isLive, judgeTokenUse } from './session-times.js';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const at = (msAgo: number): Date => new Date(NOW - msAgo);
const session = { generation: 5, rotatedAt: at(0), expiresAt: at(-24 * HOUR), endedAt: null, attemptHash: Buffer.alloc(32, 1) };

describe('a session', () => {
  it.each([
    ['lives on while it is in use', session, true],
    ['lives on after eleven idle hours', { ...session, rotatedAt: at(11 * HOUR) }, true],
    ['is over after twelve idle hours', { ...session, rotatedAt: at(12 * HOUR) }, false],
    ['is over at its absolute end, however fresh', { ...session, expiresAt: at(0) }, false],
    ['is over once it was ended', { ...session, endedAt: at(1) }, false],
  ])('%s', (_, dated, expected) => {
    expect(isLive(dated, NOW)).toBe(expected);
  });
});

describe('a refresh token', () => {
  const same = Buffer.alloc(32, 1);
  const other = Buffer.alloc(32, 2);

  it('of the current generation is valid for every attempt', () => {
    for (const attemptHash of [same, other, null]) expect(judgeTokenUse(session, { generation: 5, attemptHash })).toBe('current');
  });

  it('of the previous generation serves only the same attempt', () => {
    expect(judgeTokenUse(session, { generation: 4, attemptHash: same })).toBe('retry');
    expect(judgeTokenUse(session, { generation: 4, attemptHash: other })).toBe('reused');
    expect(judgeTokenUse(session, { generation: 4, attemptHash: null })).toBe('reused');
    expect(judgeTokenUse({ ...session, attemptHash: null }, { generation: 4, attemptHash: null })).toBe('reused');
  });

  it('of any older generation counts as reused', () => {
    expect(judgeTokenUse(session, { generation: 3, attemptHash: same })).toBe('reused');
  });
});
