import type { Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type Candidate, chooseWorker, hashText } from './choose-worker.js';

const worker = (name: string, free: number, slots = 8): Candidate => ({ wk: name as Incarnation, hash: hashText(name), slots, free });
const NAMES = ['a', 'b', 'c', 'd'];
const never = (): number => {
  throw new Error('No dice were needed.');
};

describe('the hash of a text', () => {
  it.each([
    ['', 2166136261],
    ['Hello é😀', 3400860669],
    ['é😀\ud800'.repeat(2_000), 0],
    ['a'.repeat(16_384), 0],
  ])('of %s is FNV-1a over its code units', (text, known) => {
    let hash = 2166136261;
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    expect(hashText(text)).toBe(hash >>> 0);
    if (known !== 0) expect(hashText(text)).toBe(known);
  });

  it('ends after the first 16,384 code units', () => {
    expect(hashText(`${'a'.repeat(16_384)}b`)).toBe(hashText('a'.repeat(16_384)));
    expect(hashText(`${'a'.repeat(16_383)}b`)).not.toBe(hashText('a'.repeat(16_384)));
  });
});

describe('the choice of a worker', () => {
  it('is stable for a conversation, in any table order', () => {
    const workers = NAMES.map((name) => worker(name, 8));
    for (let affinity = 0; affinity < 100; affinity += 1) {
      expect(chooseWorker([...workers].reverse(), affinity, never)).toBe(chooseWorker(workers, affinity, never));
    }
  });

  it('spreads conversations over all workers', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 4_000; i += 1) {
      const wk =
        chooseWorker(
          NAMES.map((name) => worker(name, 8)),
          hashText(`conversation ${i}`),
          never,
        ) ?? 'none';
      counts.set(wk, (counts.get(wk) ?? 0) + 1);
    }
    for (const name of NAMES) expect(counts.get(name)).toBeGreaterThan(800);
  });

  it('moves only conversations of a lost worker', () => {
    const workers = NAMES.map((name) => worker(name, 8));
    for (let i = 0; i < 200; i += 1) {
      const before = chooseWorker(workers, hashText(`c${i}`), never);
      const after = chooseWorker(workers.slice(1), hashText(`c${i}`), never);
      expect(before === 'a' || after === before).toBe(true);
    }
  });

  it('skips workers above 1.5 times their share', () => {
    const affinity = Array.from({ length: 1_000 }, (_, i) => i).find(
      (i) =>
        chooseWorker(
          NAMES.map((name) => worker(name, 8)),
          i,
          never,
        ) === 'a',
    )!;
    expect(chooseWorker([worker('a', 2), worker('b', 8), worker('c', 8), worker('d', 8)], affinity, never)).not.toBe('a');
    expect(chooseWorker([worker('a', 4), worker('b', 4), worker('c', 4), worker('d', 4)], affinity, never)).toBe('a');
  });

  it('measures the share by the slots of each worker', () => {
    const big = worker('big', 30, 60);
    const small = worker('small', 1, 2);
    const affinity = Array.from({ length: 1_000 }, (_, i) => i).find(
      (i) => chooseWorker([worker('big', 60, 60), worker('small', 2, 2)], i, never) === 'big',
    )!;
    expect(chooseWorker([big, small], affinity, never)).toBe('big');
  });

  it('never is a worker without a free slot', () => {
    for (let affinity = 0; affinity < 100; affinity += 1) {
      expect(chooseWorker([worker('a', 0), worker('b', 1), worker('c', 0)], affinity, () => 0.5)).toBe('b');
    }
    expect(chooseWorker([worker('a', 0), worker('b', -1)], 1, () => 0)).toBeNull();
    expect(chooseWorker([], 1, () => 0)).toBeNull();
  });

  it('takes the freer of two when all are overloaded', () => {
    // Both hold far more than their slots' share, beside two large idle workers that are full by now.
    const dice = [0, 0.99];
    const workers = [worker('a', 1, 100), worker('b', 2, 100), worker('c', 0, 1)];
    expect(chooseWorker(workers, 1, () => dice.shift() ?? 0)).not.toBeNull();
  });

  it('places a single request on a single worker', () => {
    expect(chooseWorker([worker('a', 1, 1)], 7, never)).toBe('a');
  });
});
