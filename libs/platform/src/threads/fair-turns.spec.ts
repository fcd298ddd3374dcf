import { describe, expect, it } from 'vitest';
import { FairTurns } from './fair-turns.js';

const always = (): boolean => true;

describe('FairTurns', () => {
  it('alternates between accounts and their keys', () => {
    const turns = new FairTurns<string>({ perKey: 9, inAll: 99 });
    for (const work of ['a1', 'a2', 'a3']) turns.add({ account: 1, key: 1 }, work);
    turns.add({ account: 1, key: 2 }, 'b1');
    turns.add({ account: 2, key: 3 }, 'c1');
    turns.add({ account: 2, key: 3 }, 'c2');
    expect([...turns.drain()]).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'a3']);
    expect(turns.size).toBe(0);
  });

  it('skips accounts without room', () => {
    const turns = new FairTurns<string>({ perKey: 9, inAll: 99 });
    turns.add({ account: 1, key: 1 }, 'a');
    turns.add({ account: 2, key: 2 }, 'b');
    expect(turns.next((account) => account === 2)).toBe('b');
    expect(turns.next((account) => account === 2)).toBeUndefined();
    expect(turns.next(always)).toBe('a');
  });

  it('bounds the work per key and in total', () => {
    const turns = new FairTurns<string>({ perKey: 2, inAll: 3 });
    const add = (key: number, work: string): string | undefined => turns.add({ account: 1, key }, work);
    expect([add(1, 'a'), add(1, 'b'), add(1, 'c'), add(2, 'd'), add(3, 'e')]).toEqual([undefined, undefined, 'c', undefined, 'e']);
  });

  it('drops work of the largest account', () => {
    const turns = new FairTurns<string>({ perKey: 2, inAll: 4 });
    const add = (account: number, key: number, work: string): string | undefined => turns.add({ account, key }, work);
    for (const key of [1, 2, 3, 4]) add(1, key, `greedy${key}`);
    expect([add(2, 9, 'a'), add(2, 9, 'b'), add(3, 8, 'c')]).toEqual(['greedy1', 'greedy2', 'greedy3']);
    expect(turns.size).toBe(4);
    expect([...turns.drain()].toSorted()).toEqual(['a', 'b', 'c', 'greedy4']);
  });
});
