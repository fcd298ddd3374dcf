import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACES } from '@slipway/datasets';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from './entry-file.js';
import { HELD_MOST, Splitter } from './split-examples.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-split-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A split of examples whose places rise with their numbers. */
async function split(count: number, heldOut: number, placeOf = (i: number): number => Math.floor((i / count) * PLACES)) {
  const splitter = new Splitter({ seed: 1, heldOut, learned: [] }, folder);
  for (let i = 0; i < count; i += 1) await splitter.add({ at: i, bytes: i % 7 }, `line ${i}`, placeOf(i));
  const { train, held } = splitter.sides();
  const learned: Entry[] = [];
  for await (const entry of train.inOrder()) learned.push(entry);
  await splitter.close();
  return { learned, held, count: splitter.count };
}

describe('a split', () => {
  it('has each example once, in an order that the seed decides', async () => {
    const { learned, held, count } = await split(20_000, 0);
    expect([count, held.length]).toEqual([20_000, 0]);
    expect(learned.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
    expect(learned.every(({ at, bytes }) => bytes === at % 7)).toBe(true);
    const again = await split(20_000, 0);
    expect(again.learned).toEqual(learned);
    // Neighbours of the file are far from each other, as chance would have it.
    const mean = learned.slice(1).reduce((sum, { at }, i) => sum + Math.abs(at - (learned[i]?.at ?? 0)), 0) / learned.length;
    expect(mean).toBeGreaterThan(6_000);
  });

  it('measures the prompts with the lowest places', async () => {
    const { held, learned } = await split(20_000, 0.125);
    expect(learned).toHaveLength(17_500);
    expect(held.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(Array.from({ length: HELD_MOST }, (_, i) => i));
  });

  it('measures 500 examples at most where many share a prompt', async () => {
    const { held } = await split(6_000, 1 - 1e-9, (i) => (i < 5_000 ? 1 : PLACES - 1));
    expect(held).toHaveLength(HELD_MOST);
    expect(held.some(({ at }) => at < 5_000)).toBe(true);
  });

  it('grows on the disk, not in memory', async () => {
    const splitter = new Splitter({ seed: 1, heldOut: 0.1, learned: [] }, folder);
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 200_000; i += 1) await splitter.add({ at: i, bytes: 1 }, String(i), (i % 1_000) * (PLACES / 1_000));
    // 180,000 learned examples of 20 bytes each.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect((await readdir(folder)).length).toBe(64);
    await splitter.close();
  });
});
