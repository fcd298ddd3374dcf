import type { OrphanUsage } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type EndedGeneration, OrphanBook } from './orphan-book.js';

const ended = (st: string, gw = 'gw-1', api = 'chat'): EndedGeneration =>
  ({
    start: { st, at: 1, dep: 3, rev: 1, api },
    gw,
    account: 1,
    key: 2,
    claim: 'a-claim',
    started: 1_790_000_000_000,
    ms: 5,
    usage: { prompt: 7, cached: 0, completion: 4 },
  }) as unknown as EndedGeneration;

function book(): { book: OrphanBook; orphans: OrphanUsage[] } {
  const orphans: OrphanUsage[] = [];
  return { book: new OrphanBook((orphan) => orphans.push(orphan)), orphans };
}

describe('counts of ended streams', () => {
  it('are reported once when their gateway falls silent', () => {
    const { book: kept, orphans } = book();
    kept.ended(ended('s1'), 0);
    kept.sweep(10_000);
    expect(orphans).toEqual([]);
    kept.sweep(10_001);
    kept.sweep(99_000);
    expect(orphans).toMatchObject([{ st: 's1', gw: 'gw-1', acct: 1, key: 2, claim: 'a-claim', completion: 4 }]);
    expect(kept.size).toBe(0);
  });

  it('are dropped when a living gateway must have recorded them', () => {
    const { book: kept, orphans } = book();
    kept.ended(ended('s1'), 0);
    kept.ended(ended('s2'), 20_000);
    kept.heartbeat('gw-1' as EndedGeneration['gw'], 0, 30_001);
    expect(kept.size).toBe(1);
    kept.sweep(50_000);
    expect(orphans.map(({ st }) => st)).toEqual(['s2']);
  });

  it('stay while the gateway owes a record as old as they are', () => {
    const { book: kept } = book();
    kept.ended(ended('s1'), 0);
    kept.heartbeat('gw-1' as EndedGeneration['gw'], 60_000, 60_500);
    expect(kept.size).toBe(1);
    kept.heartbeat('gw-1' as EndedGeneration['gw'], 60_000, 90_001);
    expect(kept.size).toBe(0);
  });

  it('are not orphans because this worker’s own connection failed', () => {
    const { book: kept, orphans } = book();
    kept.ended(ended('s1'), 0);
    kept.excuse(60_000);
    kept.sweep(65_000);
    expect(orphans).toEqual([]);
  });

  it('are kept by attempt, and token counts are left out', () => {
    const { book: kept, orphans } = book();
    kept.ended(ended('s1'), 0);
    kept.ended({ ...ended('s1'), start: { ...ended('s1').start, at: 2 } }, 0);
    kept.ended(ended('s2', 'gw-1', 'count'), 0);
    kept.sweep(20_000);
    expect(orphans.map(({ st, at }) => [st, at])).toEqual([
      ['s1', 1],
      ['s1', 2],
    ]);
  });

  it('are bounded: the oldest of a gateway is dropped', () => {
    const { book: kept } = book();
    for (let i = 0; i <= 20_000; i += 1) kept.ended(ended(`s${i}`), i);
    expect(kept.size).toBe(20_000);
  });
});
