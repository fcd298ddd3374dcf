import { describe, expect, it } from 'vitest';
import { type Split, SplitPlanner, isHeldOut } from './split.js';

const prompts = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => BigInt.asUintN(64, BigInt(from + i) * 0x9e3779b97f4a7c15n));

function planned(hashes: readonly bigint[], seed = 3): Split {
  const planner = new SplitPlanner(seed);
  for (const hash of hashes) planner.add({ high: Number(hash >> 32n), low: Number(hash & 0xffff_ffffn) });
  return planner.plan(new Set(hashes).size);
}

const heldOf = (split: Split, hashes: readonly bigint[]) => new Set(hashes.filter((hash) => isHeldOut(split, hash)));

describe('SplitPlanner', () => {
  it.each([
    [0, 0],
    [1, 0],
    [8, 4],
    [30, 5],
    [100, 10],
    [4_000, 400],
    [30_000, 500],
  ])('of %i prompts holds out %i', (count, held) => {
    const hashes = prompts(0, count);
    // Repeated prompts count once.
    expect(heldOf(planned([...hashes, ...hashes]), hashes).size).toBe(held);
  });

  it('holds out the same prompts in any order', () => {
    const hashes = prompts(0, 2_000);
    expect(planned(hashes.toReversed())).toEqual(planned(hashes));
  });
});

it('no prompt changes sides over five versions', () => {
  const first = prompts(0, 300);
  const split = planned(first);
  const versions = [first, prompts(0, 900), prompts(150, 5_000), prompts(0, 40).concat(prompts(4_000, 20_000)), prompts(0, 30_000)];
  const sides = new Map<bigint, boolean>();
  for (const version of versions) {
    for (const hash of version) {
      const side = isHeldOut(split, hash);
      expect(sides.get(hash) ?? side).toBe(side);
      sides.set(hash, side);
    }
  }
  expect([...sides.values()].filter(Boolean).length / sides.size).toBeCloseTo(0.1, 1);
});

it('another seed holds out other prompts', () => {
  const hashes = prompts(0, 1_000);
  const held = [1, 2, 3].map((seed) => heldOf(planned(hashes, seed), hashes));
  expect(held.map((set) => set.size)).toEqual([100, 100, 100]);
  expect([...held[0]!].filter((hash) => held[1]!.has(hash)).length).toBeLessThan(30);
});
