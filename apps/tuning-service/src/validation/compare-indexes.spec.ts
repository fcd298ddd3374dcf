import { expect, it } from 'vitest';
import { compareIndexes } from './compare-indexes.js';
import { recordsOf } from './example-index.js';

const version = (examples: readonly (readonly [prompt: number, answer: number])[]): Buffer =>
  recordsOf(
    {
      bytes: new Uint8Array(),
      count: examples.length,
      lengths: Uint32Array.from(examples, () => 10),
      lines: Uint32Array.from(examples, (_, i) => i + 1),
      warnings: new Uint32Array(examples.length),
      prompts: BigUint64Array.from(examples, ([prompt]) => BigInt(prompt)),
      examples: BigUint64Array.from(examples, ([prompt, answer]) => BigInt(prompt * 1_000 + answer)),
    },
    0,
  );

it('an example with a known prompt and a new answer is changed', () => {
  const from = version([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
  ]);
  const to = version([
    [4, 1],
    [2, 2],
    [5, 1],
    [1, 1],
  ]);
  expect(compareIndexes(from, to)).toEqual({ added: 1, removed: 1, changed: 1, same: 2, added_at: [3], removed_at: [3], changed_at: [2] });
});

it('empty versions have nothing in common', () => {
  expect(compareIndexes(version([]), version([[1, 1]]))).toMatchObject({ added: 1, same: 0 });
  expect(compareIndexes(version([[1, 1]]), version([]))).toMatchObject({ removed: 1, same: 0 });
});
