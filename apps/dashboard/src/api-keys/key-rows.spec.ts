import type { KeyView } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { accessOf, rowsOf } from './key-rows.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const key = (id: number, more: Partial<KeyView> = {}): KeyView => ({
  ...{ id: id as KeyView['id'], name: `key ${id}`, hint: 'svc_dep_abcd', state: 'active', created_at: '2026-11-01T00:00:00Z' },
  ...more,
});
const usage = { from: '2026-10-22T00:00:00Z', requests: 3, errors: 1, prompt_tokens: 40, cached_tokens: 10, completion_tokens: 2 };
const NOTHING_KNOWN = { tokens_per_day: null, tokens_per_month: null };

it('a key is shown with its usage, a silent one with zeros', () => {
  const month = [{ ...usage, key: key(1).id }];
  const [first, second] = rowsOf([key(1), key(2)], { now: NOW, month, used: NOTHING_KNOWN });
  expect([first?.requests, first?.tokens]).toEqual([3, 42]);
  expect([second?.requests, second?.tokens]).toEqual([0, 0]);
});

it('usage that is not known is no zero', () => {
  const [row] = rowsOf([key(1, { limits: { tokens_per_day: 10 } })], { now: NOW, month: null, used: NOTHING_KNOWN });
  expect([row?.requests, row?.tokens, row?.budget]).toEqual([null, null, null]);
});

it('of two budgets a key shows the tighter one', () => {
  const limits = { tokens_per_day: 1_000, tokens_per_month: 1_000 };
  const used = { tokens_per_day: new Map([[1, 10]]), tokens_per_month: new Map([[1, 900]]) };
  const [first, second] = rowsOf([key(1, { limits }), key(2, { limits })], { now: NOW, month: [], used });
  expect(first?.budget).toEqual({ name: 'tokens_per_month', used: 900, limit: 1_000 });
  expect(second?.budget?.used).toBe(0);
});

it('access is everything or a list of deployments', () => {
  expect(accessOf({})).toEqual(['all']);
  expect(accessOf({ deployments: null })).toEqual(['all']);
  expect(accessOf({ deployments: [3, 7] as NonNullable<KeyView['deployments']> })).toEqual(['3', '7']);
});
