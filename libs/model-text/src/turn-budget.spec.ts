import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TurnBudget } from './turn-budget.js';

it('bounds the work of all callers per turn', async () => {
  const budget = new TurnBudget(100);
  const perTurn = [0];
  let over = false;
  const counting = (async () => {
    while (!over) {
      await setImmediate();
      perTurn.push(0);
    }
  })();
  const worker = async (): Promise<void> => {
    for (let piece = 0; piece < 5; piece += 1) {
      await budget.spend(40);
      perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + 40;
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  over = true;
  await counting;
  expect(perTurn.reduce((sum, work) => sum + work, 0)).toBe(20 * 5 * 40);
  // The turn of this counter and that of the budget may be one apart.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(160);
});

it('serves callers in the order of their arrival', async () => {
  const budget = new TurnBudget(10);
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      await budget.spend(i === 3 ? 50 : 4);
      order.push(i);
    }),
  );
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
});

it('lets work that fits begin at once', () => {
  const budget = new TurnBudget(10);
  expect([budget.spend(4), budget.spend(6)]).toEqual([undefined, undefined]);
  expect(budget.spend(1)).toBeInstanceOf(Promise);
});
