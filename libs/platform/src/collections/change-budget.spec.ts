import { expect, it } from 'vitest';
import { ChangeBudget } from './change-budget.js';

const PUBLISHED = { burst: 8, refillMs: 5_000 };

it('grants a burst of eight, then one per interval', () => {
  const budget = new ChangeBudget(PUBLISHED);
  const granted: number[] = [];
  for (let now = 0; now <= 20_000; now += 250) if (budget.take(1, now)) granted.push(now);
  expect(granted).toEqual([0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750, 5_000, 10_000, 15_000, 20_000]);
});

it('keeps a separate budget for each id', () => {
  const budget = new ChangeBudget(PUBLISHED);
  while (budget.take(1, 0));
  expect(budget.take(2, 0)).toBe(true);
});

it('saves no more than one burst', () => {
  const budget = new ChangeBudget(PUBLISHED);
  budget.take(1, 0);
  let granted = 0;
  while (budget.take(1, 3_600_000)) granted += 1;
  expect(granted).toBe(8);
});
