import type { KeyFeedRecord } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { KeyIndex } from './key-index.js';

const account = (id: number, slug: string): KeyFeedRecord => ({ type: 'account', id, slug, state: 'active' }) as KeyFeedRecord;
const key = (id: number, mac: string): KeyFeedRecord =>
  ({ type: 'key', id, account: 1, kind: 'dep', mac, pepper: 'p', state: 'active', expires: null, deployments: null }) as KeyFeedRecord;

describe('the key index', () => {
  it('removes the old value of a rotated key', () => {
    const index = new KeyIndex();
    index.put('key:1', key(1, 'old'));
    index.put('key:1', key(1, 'new'));
    expect(index.keyByMac('old')).toBeUndefined();
    expect(index.keyByMac('new')?.id).toBe(1);
    expect(index.size).toBe(1);
  });

  it('finds revoked keys by number, not by value', () => {
    const index = new KeyIndex();
    index.put('key:1', key(1, 'mac'));
    index.put('key:1', { ...key(1, 'mac'), state: 'revoked' } as KeyFeedRecord);
    expect(index.keyByMac('mac')).toBeUndefined();
    expect(index.key(1 as never)?.state).toBe('revoked');
    expect(index.size).toBe(1);
  });

  it('finds accounts by id and slug until removed', () => {
    const index = new KeyIndex();
    index.put('account:7', account(7, 'acme'));
    expect(index.account(7 as never)?.slug).toBe('acme');
    expect(index.accountBySlug('acme')?.id).toBe(7);
    index.remove('account:7');
    expect(index.accountBySlug('acme')).toBeUndefined();
  });

  it('holds only the snapshot after a snapshot', () => {
    const index = new KeyIndex();
    index.put('key:1', key(1, 'gone'));
    index.put('account:1', account(1, 'gone'));
    const renewal = index.renew();
    renewal.put('key:2', key(2, 'here'));
    renewal.put('account:2', account(2, 'here'));
    expect(index.keyByMac('gone')?.id).toBe(1);
    expect(index.keyByMac('here')).toBeUndefined();
    renewal.swap();
    expect(index.keyByMac('gone')).toBeUndefined();
    expect(index.accountBySlug('gone')).toBeUndefined();
    expect(index.keyByMac('here')?.id).toBe(2);
    expect(index.accountBySlug('here')?.id).toBe(2);
  });

  it('accepts removals of unknown records', () => {
    const index = new KeyIndex();
    index.remove('key:9');
    index.remove('account:9');
    index.remove('unheard-of:9');
    expect(index.size).toBe(0);
  });

  it('reports the first budget of a key or account', () => {
    const reported: string[] = [];
    const index = new KeyIndex();
    index.whenBudgetIsSet(() => reported.push('budget'));
    index.put('key:1', key(1, 'mac'));
    index.put('key:1', { ...key(1, 'mac'), limits: { requests_per_minute: 5 } });
    expect(reported).toEqual([]);
    index.put('key:1', { ...key(1, 'mac'), limits: { tokens_per_day: 5 } });
    index.put('key:1', { ...key(1, 'mac'), limits: { tokens_per_day: 6 } });
    expect(reported).toEqual(['budget']);
    index.put('key:1', key(1, 'mac'));
    index.put('key:1', { ...key(1, 'mac'), limits: { tokens_per_month: 5 } });
    expect(reported).toEqual(['budget', 'budget']);
  });
});
