import { describe, expect, it } from 'vitest';
import { MemoryShares } from './memory-shares.js';

describe('shared memory', () => {
  it('leaves room for others beside a full account', () => {
    const shares = new MemoryShares({ bytes: 100, shareBytes: 25 });
    const [greedy, more, other] = [shares.open(1), shares.open(1), shares.open(2)];
    expect([greedy.take(20), more.take(5), more.take(1), other.take(25)]).toEqual(['taken', 'taken', 'share_used', 'taken']);
    greedy.release();
    expect(more.take(20)).toBe('taken');
  });

  it('leaves room for other keys beside a full one', () => {
    const shares = new MemoryShares({ bytes: 100, shareBytes: 40, keyBytes: 30 });
    const [greedy, more, other] = [shares.open(1, 1), shares.open(1, 1), shares.open(1, 2)];
    expect([greedy.take(30), more.take(1), other.take(10), other.take(1)]).toEqual(['taken', 'share_used', 'taken', 'share_used']);
    greedy.release();
    expect(more.take(30)).toBe('taken');
  });

  it('ends where all of it is taken', () => {
    const shares = new MemoryShares({ bytes: 50, shareBytes: 25 });
    expect([1, 2, 3].map((account) => shares.open(account).take(20))).toEqual(['taken', 'taken', 'full']);
  });

  it('is released once, however often it is called', () => {
    const shares = new MemoryShares({ bytes: 50, shareBytes: 50 });
    const [one, other] = [shares.open(1), shares.open(2)];
    one.take(30);
    other.take(20);
    one.shrinkTo(10);
    one.shrinkTo(40);
    one.release();
    one.release();
    expect([shares.open(3).take(31), shares.open(3).take(30)]).toEqual(['full', 'taken']);
  });
});
