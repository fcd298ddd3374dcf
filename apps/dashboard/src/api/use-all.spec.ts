import { expect, it } from 'vitest';
import { readAll } from './use-all.js';

it('a list of three pages is read to its end, in order', async () => {
  const asked: unknown[] = [];
  const rows = await readAll<'keys/list', number>(async (next) => {
    asked.push(next);
    const first = next.before ?? 1_201;
    const page = Array.from({ length: Math.min(500, first - 1) }, (_, index) => first - 1 - index);
    const last = page.at(-1) ?? 1;
    return { rows: page, next: last > 1 ? { before: last } : null };
  });
  expect(asked).toEqual([{}, { before: 701 }, { before: 201 }]);
  expect(rows).toHaveLength(1_200);
  expect(new Set(rows).size).toBe(1_200);
});

it('a list without an end is given up after 200 pages', async () => {
  const rows = await readAll<'keys/list', number>(async () => ({ rows: [1], next: { before: 1 } }));
  expect(rows).toHaveLength(200);
});
