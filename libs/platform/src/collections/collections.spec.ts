import { bytesKeptOf } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import { OpenSet } from './open-set.js';
import { OpenTable } from './open-table.js';

const OPEN_AT_ONCE = 5;

/**
 * Opens and closes many objects, of which a few are open at once.
 * @param open adds one and returns its removal
 * @returns bytes per object that survive young-generation collections
 */
function bytesKeptEach(open: (thing: object) => () => void): number {
  const closing: (() => void)[] = [];
  return bytesKeptOf((thing) => {
    closing.push(open(thing));
    if (closing.length > OPEN_AT_ONCE) closing.shift()?.();
  });
}

describe('OpenSet', () => {
  it('holds members until they are removed', () => {
    const set = new OpenSet<string>();
    for (const name of ['a', 'b', 'c']) set.add(name);
    expect(set.delete('a')).toBe(true);
    expect([...set].toSorted()).toEqual(['b', 'c']);
    expect(set.delete('c')).toBe(true);
    expect([...set]).toEqual(['b']);
    expect(set.size).toBe(1);
  });

  it('says whether it removed a member', () => {
    const set = new OpenSet<string>();
    set.add('a');
    expect(set.delete('b')).toBe(false);
    expect(set.delete('a')).toBe(true);
    expect(set.delete('a')).toBe(false);
    expect(set.size).toBe(0);
  });

  it('allows removal during iteration', () => {
    const set = new OpenSet<number>();
    for (let i = 0; i < 10; i += 1) set.add(i);
    const seen: number[] = [];
    for (const member of set) {
      seen.push(member);
      set.delete(member);
    }
    expect(seen).toHaveLength(10);
    expect(set.size).toBe(0);
  });
});

describe('OpenTable', () => {
  it('finds values by their names until they are removed', () => {
    const table = new OpenTable<number>();
    table.set('a', 1);
    table.set('b', 2);
    table.set('a', 3);
    expect([table.get('a'), table.get('b'), table.get('c'), table.size]).toEqual([3, 2, undefined, 2]);
    expect([table.delete('a'), table.delete('a'), table.delete('c')]).toEqual([true, false, false]);
    expect([table.get('a'), table.size]).toEqual([undefined, 1]);
  });

  it('lists values oldest first', () => {
    const table = new OpenTable<number>();
    table.set('x', 1);
    table.set('b', 2);
    table.set('a', 3);
    table.delete('x');
    table.set('x', 4);
    expect(table.names()).toEqual(['b', 'a', 'x']);
    expect(table.values()).toEqual([2, 3, 4]);
  });

  it('takes names like `constructor`', () => {
    const table = new OpenTable<number>();
    expect([table.get('__proto__'), table.get('constructor')]).toEqual([undefined, undefined]);
    table.set('__proto__', 1);
    expect([table.get('__proto__'), table.size, table.names()]).toEqual([1, 1, ['__proto__']]);
  });
});

describe('removed objects', () => {
  let count = 0;
  const next = (): string => `request-${(count += 1)}`;

  it('are not kept alive by OpenSet', () => {
    const set = new OpenSet<object>();
    const kept = bytesKeptEach((thing) => {
      set.add(thing);
      return () => set.delete(thing);
    });
    expect(kept).toBeLessThan(1_000);
  });

  it('are not kept alive by OpenTable', () => {
    const table = new OpenTable<object>();
    const kept = bytesKeptEach((thing) => {
      const name = next();
      table.set(name, thing);
      return () => table.delete(name);
    });
    expect(kept).toBeLessThan(1_000);
  });

  it('are kept alive by a plain Map', () => {
    const map = new Map<string, object>();
    const kept = bytesKeptEach((thing) => {
      const name = next();
      map.set(name, thing);
      return () => map.delete(name);
    });
    expect(kept).toBeGreaterThan(2_000);
  });
});
