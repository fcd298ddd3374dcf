import { defineFeed, type Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSnapshot } from './snapshot-loader.js';

const Feed = defineFeed({ name: 'probe', owner: 'keys', readers: ['gateway'], record: z.object({ n: z.int() }) });
const READER = 'gw1' as Incarnation;

interface Page {
  readonly epoch: string;
  readonly head: number;
  readonly records: readonly unknown[];
  readonly cursor: string | null;
}

const recordsOf = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: `thing:${from + i}`, ver: 1, rec: { n: from + i } }));

/** A service with scripted pages that records its requests. */
class PagesOf {
  readonly asked: (string | null)[] = [];

  constructor(private readonly pages: readonly (Page | Error)[]) {}

  read = (): ReturnType<typeof readSnapshot<{ n: number }>> => readSnapshot({ call: this.#call as never }, Feed, READER);

  readonly #call = (contract: typeof Feed.snapshot, request: { cursor: string | null }): Promise<unknown> => {
    this.asked.push(request.cursor);
    const page = this.pages[this.asked.length - 1];
    if (page === undefined || page instanceof Error) return Promise.reject(page ?? new Error('There is no such page.'));
    return Promise.resolve(contract.reply.parse(structuredClone(page)));
  };
}

const place = { epoch: 'e1', head: 7 };

describe('readSnapshot', () => {
  it('yields all records in order under one place', async () => {
    const pages = new PagesOf([
      { ...place, records: recordsOf(0, 700), cursor: 'a' },
      { ...place, records: recordsOf(700, 701), cursor: 'b' },
      { ...place, records: [], cursor: null },
    ]);
    const numbers: number[] = [];
    for await (const { label, records } of pages.read()) {
      expect(label).toEqual({ epoch: 'e1', seq: 7 });
      numbers.push(...records.map(({ rec }) => rec.n));
    }
    expect(numbers).toEqual(Array.from({ length: 701 }, (_, i) => i));
    expect(pages.asked).toEqual([null, 'a', 'b']);
  });

  it('requests the next page before checking the current one', async () => {
    const pages = new PagesOf([
      { ...place, records: recordsOf(0, 1), cursor: 'a' },
      { ...place, records: recordsOf(1, 2), cursor: null },
    ]);
    const pieces = pages.read();
    await pieces.next();
    expect(pages.asked).toEqual([null, 'a']);
    await pieces.return();
  });

  it('lets the event loop turn between pieces', async () => {
    const pages = new PagesOf([{ ...place, records: recordsOf(0, 1_000), cursor: null }]);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const seen: number[] = [];
    for await (const { records } of pages.read()) {
      expect(records.length).toBeLessThanOrEqual(250);
      seen.push(turns);
    }
    clearImmediate(immediate);
    expect(seen).toHaveLength(4);
    expect(new Set(seen).size).toBe(4);
  });

  it('yields one empty piece for an empty feed', async () => {
    const pieces: unknown[] = [];
    for await (const piece of new PagesOf([{ ...place, records: [], cursor: null }]).read()) pieces.push(piece);
    expect(pieces).toEqual([{ label: { epoch: 'e1', seq: 7 }, records: [] }]);
  });

  it.each([
    ['another epoch', { epoch: 'e2', head: 7 }],
    ['another head', { epoch: 'e1', head: 8 }],
  ])('gives up when a page has %s', async (_, other) => {
    const pieces = new PagesOf([
      { ...place, records: recordsOf(0, 1), cursor: 'a' },
      { ...other, records: recordsOf(1, 2), cursor: null },
    ]).read();
    await pieces.next();
    await expect(pieces.next()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('refuses a page with one invalid record', async () => {
    const [good] = recordsOf(0, 1);
    const service = { ...place, records: [good, { id: 'thing:1', ver: 1, rec: { n: 'one' } }], cursor: 'a' };
    let asks = 0;
    const call = (): Promise<unknown> => ((asks += 1) === 1 ? Promise.resolve(service) : Promise.reject(new Error('gone')));
    const pieces = readSnapshot({ call: call as never }, Feed, READER);
    await expect(pieces.next()).rejects.toMatchObject({ code: 'internal' });
    expect(asks).toBe(2);
  });

  it('throws a page failure when due', async () => {
    const pieces = new PagesOf([{ ...place, records: recordsOf(0, 1), cursor: 'a' }, new Error('no answer')]).read();
    await expect(pieces.next()).resolves.toMatchObject({ done: false });
    await expect(pieces.next()).rejects.toThrow('no answer');
  });
});
