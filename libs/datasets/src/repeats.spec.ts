import { describe, expect, it } from 'vitest';
import { RepeatTable } from './repeats.js';

const hash = (n: number) => ({ high: Math.imul(n, 0x9e3779b1), low: Math.imul(n ^ (n >>> 7), 0x85ebca6b) });

describe('RepeatTable', () => {
  it('finds equal examples and other answers to a prompt, with the line of the first', () => {
    const table = new RepeatTable(10);
    const add = (prompt: number, whole: number, line: number) => `${table.add(hash(prompt), hash(whole), line)} ${table.first}`;
    expect(add(1, 11, 5)).toBe('new 0');
    expect(add(1, 11, 6)).toBe('duplicate 5');
    expect(add(1, 12, 7)).toBe('conflict 5');
    expect(add(1, 12, 8)).toBe('duplicate 7');
    expect(add(1, 13, 9)).toBe('conflict 5');
    expect(add(2, 21, 10)).toBe('new 5');
  });

  it('keeps as many entries as it was made for', () => {
    const count = 200_000;
    const table = new RepeatTable(count);
    const kinds = new Set<string>();
    for (let i = 1; i <= count; i += 1) kinds.add(table.add(hash(i), hash(-i), i));
    expect([...kinds]).toEqual(['new']);
    for (let i = 1; i <= count; i += 1_001) expect([table.add(hash(i), hash(-i), count + i), table.first]).toEqual(['duplicate', i]);
  });

  it('takes many answers to one prompt in its stride', () => {
    const table = new RepeatTable(100_000);
    table.add(hash(1), hash(2), 1);
    const kinds = new Set<string>();
    for (let i = 3; i < 100_000; i += 1) kinds.add(table.add(hash(1), hash(i), i));
    expect([...kinds]).toEqual(['conflict']);
    expect([table.add(hash(1), hash(50_000), 100_001), table.first]).toEqual(['duplicate', 50_000]);
  });
});
