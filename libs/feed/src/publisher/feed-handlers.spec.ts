import { Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { processClock } from '../clock.js';
import { Backlog } from './relay.js';
import { FeedHandlers, pageOf } from './feed-handlers.js';
import type { FeedLook, FeedStore } from './feed-store.js';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('pageOf', () => {
  it('returns all entries where they fit', () => {
    const entries = ['a', 'b', 'ü'];
    expect(pageOf(entries, bytesOf(entries))).toBe(entries);
  });

  it('stops before the entry that exceeds the bytes', () => {
    const entries = Array.from({ length: 50 }, (_, i) => ({ name: 'ü'.repeat(i) }));
    const page = pageOf(entries, 1_000);
    expect(bytesOf(page)).toBeLessThanOrEqual(1_000);
    expect(bytesOf(entries.slice(0, page.length + 1))).toBeGreaterThan(1_000);
    expect(page).toEqual(entries.slice(0, page.length));
  });

  it('returns one entry however long it is', () => {
    expect(pageOf(['x'.repeat(100), 'y'], 10)).toEqual(['x'.repeat(100)]);
  });

  it('returns nothing for an empty list', () => {
    expect(pageOf([], 10)).toEqual([]);
  });
});

describe('an answer to a reader', () => {
  const head = { epoch: 'e', seq: 7, oldestWaiting: null };
  const readers = [{ reader: Incarnation.parse('r'), asks: 3, epoch: 'e', seq: 7 }];
  const store: Pick<FeedStore<unknown, never>, 'since'> = {
    since: (_claim, _limit, withReaders) => Promise.resolve({ head, kept: true, changes: [], readers: withReaders ? readers : null }),
  };

  async function looksOf(isDue: boolean): Promise<FeedLook[]> {
    const looks: FeedLook[] = [];
    const parts = { store: store as FeedStore<unknown, never>, source: { page: () => Promise.resolve([]) } };
    const watch = { isDue: () => isDue, looked: (look: FeedLook) => void looks.push(look) };
    const handlers = new FeedHandlers(parts, { backlog: new Backlog(processClock), clock: processClock, looks: watch });
    expect(await handlers.since({ reader: Incarnation.parse('r'), epoch: 'e', seq: 7 })).toMatchObject({
      head: 7,
      lagging: false,
      snapshot: false,
    });
    return looks;
  }

  it('counts as a look where one is due', async () => {
    expect(await looksOf(true)).toEqual([{ head, readers }]);
  });

  it('reads no claims where none is due', async () => {
    expect(await looksOf(false)).toEqual([]);
  });
});
