import { expect, it } from 'vitest';
import { WindowCounts } from './penalty-window.js';

it('counts the newest values of a list, however much it grows between two looks', () => {
  for (const step of [1, 2, 3, 7, 100]) {
    const [values, counts] = [[] as number[], new WindowCounts<number>(5)];
    for (let i = 0; i < 200; i += 1) {
      values.push((i * i) % 7);
      if (i % step !== 0) continue;
      const expected = new Map<number, number>();
      for (const value of values.slice(-5)) expected.set(value, (expected.get(value) ?? 0) + 1);
      expect(counts.of(values), `${step}, ${i}`).toEqual(expected);
    }
  }
});
