import { describe, expect, it } from 'vitest';
import { actionsOf, badgeOf, creatorText, expiryOf, faultOfDays, isInUse } from './key-state.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('a key', () => {
  it.each([
    ['active', null, 'Active'],
    ['active', undefined, 'Active'],
    ['active', '2026-11-29T12:00:00Z', 'Active'],
    ['active', '2026-11-28T11:59:59Z', 'Expiring'],
    ['expired', '2026-11-20T00:00:00Z', 'Expired'],
    ['revoked', '2026-11-22T00:00:00Z', 'Revoked'],
  ] as const)('that is %s and ends %s is shown as such', (state, expires_at, text) => {
    expect(badgeOf({ state, ...(expires_at !== undefined && { expires_at }) }, NOW).text).toBe(text);
  });

  it('that is revoked is neither rotated nor revoked again', () => {
    expect(actionsOf({ state: 'revoked' })).toEqual(['rename']);
    expect(actionsOf({ state: 'expired' })).toEqual(['rename', 'limit', 'rotate', 'revoke']);
  });

  it('counts as in use when it was lately, or when nobody can say', () => {
    expect(isInUse({ last_used_at: '2026-11-20T12:00:01Z' }, NOW)).toBe(true);
    expect(isInUse({ last_used_at: '2026-11-20T11:59:59Z' }, NOW)).toBe(false);
    expect(isInUse({ last_used_at: null }, NOW)).toBe(false);
    expect(isInUse({}, NOW)).toBe(true);
  });

  it('names who made it as far as somebody wrote it down', () => {
    expect(creatorText({ actor: 'user', name: 'ada@example.com' })).toBe('ada@example.com');
    expect(creatorText({ actor: 'ops', name: null })).toBe('the operator');
    expect([creatorText(null), creatorText(undefined)]).toEqual([null, null]);
  });

  it('ends when it was said to', () => {
    expect(expiryOf('90', '', NOW)).toBe('2027-02-19T12:00:00.000Z');
    expect(expiryOf('custom', '1', NOW)).toBe('2026-11-22T12:00:00.000Z');
    expect(expiryOf('never', '1', NOW)).toBeNull();
  });

  it.each(['0', '366', '1.5', '', '-3', '9e9', 'ten'])('is given no life of %s days', (days) => {
    expect(faultOfDays(days)).not.toBeNull();
  });

  it.each(['1', '365', ' 30 '])('may live %s days', (days) => {
    expect(faultOfDays(days)).toBeNull();
  });
});
