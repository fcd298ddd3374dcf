import { describe, expect, it } from 'vitest';
import { alarmOf, resetOf, spanOf, stateOfBudget, tightestOf, usesOf } from './budget.js';

it('a budget counts from the first moment of its day or month of UTC to the end of the day', () => {
  const now = Date.parse('2026-12-31T23:59:59.999Z');
  expect(spanOf('tokens_per_day', now)).toEqual({ from: '2026-12-31T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' });
  expect(spanOf('tokens_per_month', now)).toEqual({ from: '2026-12-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' });
});

it('a budget begins anew with the next day or month of UTC', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  expect(resetOf('tokens_per_day', now)).toBe('2026-12-01T00:00:00.000Z');
  expect(resetOf('tokens_per_month', now)).toBe('2026-12-01T00:00:00.000Z');
  expect(resetOf('tokens_per_month', Date.parse('2026-12-01T00:00:00Z'))).toBe('2027-01-01T00:00:00.000Z');
});

it.each([
  [0, 'plenty'],
  [2_399, 'plenty'],
  [2_400, 'nearly'],
  [2_999, 'nearly'],
  [3_000, 'used_up'],
  [3_532, 'used_up'],
] as const)('%i of 3,000 tokens are %s', (used, state) => {
  expect(stateOfBudget(used, 3_000)).toBe(state);
});

describe('of two budgets', () => {
  const limits = { tokens_per_day: 1_000, tokens_per_month: 10_000, requests_per_minute: 1 };

  it('the one with the larger share is shown', () => {
    expect(tightestOf(usesOf(limits, (name) => ({ tokens_per_day: 100, tokens_per_month: 9_000 })[name]))?.name).toBe('tokens_per_month');
    expect(tightestOf(usesOf(limits, () => undefined))).toBeNull();
    expect(tightestOf(usesOf(undefined, () => 1))).toBeNull();
  });

  it('the account warns from 80 % on, not before', () => {
    const used = { tokens_per_day: 799, tokens_per_month: 0 };
    expect(alarmOf({ limits, used })).toBeNull();
    expect(alarmOf({ limits, used: { ...used, tokens_per_day: 800 } })).toEqual({ name: 'tokens_per_day', used: 800, limit: 1_000 });
    expect(alarmOf({ limits, used: { tokens_per_day: 800, tokens_per_month: 12_000 } })?.name).toBe('tokens_per_month');
    expect(alarmOf({ limits })).toBeNull();
  });
});
