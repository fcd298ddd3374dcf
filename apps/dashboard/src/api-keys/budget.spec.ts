import { expect, it } from 'vitest';
import { spanOf, stateOfBudget } from './budget.js';

it('a budget counts from the first moment of its day or month of UTC to the end of the day', () => {
  const now = Date.parse('2026-12-31T23:59:59.999Z');
  expect(spanOf('tokens_per_day', now)).toEqual({ from: '2026-12-31T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' });
  expect(spanOf('tokens_per_month', now)).toEqual({ from: '2026-12-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' });
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
