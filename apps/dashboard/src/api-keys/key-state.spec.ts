import { describe, expect, it } from 'vitest';
import { actionsOf, expiryOf, faultOfDay, isInUse, ownerOf, standingOf, twinOf } from './key-state.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const later = (days: number): string => new Date(NOW + days * 86_400_000).toISOString();

describe('the state of a key', () => {
  it.each([
    ['active', null, 'active'],
    ['active', undefined, 'active'],
    ['active', later(8), 'active'],
    ['active', later(6), 'expiring'],
    ['active', later(-0.001), 'expired'],
    ['expired', later(-1), 'expired'],
    ['revoked', later(6), 'revoked'],
  ] as const)('%s until %s is shown as %s', (state, expiresAt, standing) => {
    expect(standingOf({ state, expires_at: expiresAt }, NOW)).toBe(standing);
  });

  it('decides what can be done with it', () => {
    expect(actionsOf({ state: 'active' })).toContain('expiry');
    expect(actionsOf({ state: 'expired' })).not.toContain('expiry');
    expect(actionsOf({ state: 'expired' })).toContain('rotate');
    expect(actionsOf({ state: 'revoked' })).toEqual(['rename']);
  });
});

describe('an expiry', () => {
  it('is so many days away, never, or the end of a day', () => {
    expect(expiryOf('90', '', NOW)).toBe('2027-02-19T12:00:00.000Z');
    expect(expiryOf('date', '2027-03-01', NOW)).toBe('2027-03-01T23:59:59.000Z');
    expect(expiryOf('never', '', NOW)).toBeNull();
  });

  it.each([
    ['', 'Choose a day.'],
    ['2027-02-31', 'Choose a day.'],
    ['2026-11-20', 'Choose a day in the future.'],
    ['2026-11-21', null],
  ])('of the day “%s” has the fault %s', (day, fault) => {
    expect(faultOfDay(day, NOW)).toBe(fault);
  });
});

it('a key is in use for a day after its last request, or unknown', () => {
  expect(isInUse({ last_used_at: later(-0.9) }, NOW)).toBe(true);
  expect(isInUse({ last_used_at: later(-1.1) }, NOW)).toBe(false);
  expect(isInUse({ last_used_at: null }, NOW)).toBe(false);
  expect(isInUse({}, NOW)).toBe(true);
});

it('the owner of a key is an address or a role', () => {
  expect(ownerOf({ actor: 'user', name: 'ada@example.com' })).toBe('ada@example.com');
  expect(ownerOf({ actor: 'ops', name: null })).toBe('The operator');
  expect(ownerOf(null)).toBeNull();
});

it('a second key of the same name is found, a revoked one not', () => {
  const keys = [
    { id: 1, name: 'Website', state: 'active' },
    { id: 2, name: 'Old', state: 'revoked' },
  ] as const;
  expect(twinOf(keys, ' website ')?.id).toBe(1);
  expect(twinOf(keys, 'Website', 1)).toBeUndefined();
  expect(twinOf(keys, 'Old')).toBeUndefined();
});
