import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FeedWorld, type Publisher, trustedWrongly, withSql } from './feed-rig.js';

/** Nobody may trust a reader for longer after a commit that it does not know: staleness bound, backlog bound and a look. */
const BOUND_MS = 3_000 + 250 + 250 + 250;

describe('a reader that calls itself fresh', () => {
  let world: FeedWorld;
  let database: string;
  let owner: Publisher;

  beforeAll(async () => {
    world = await FeedWorld.start();
    database = await world.postgres.createDatabase();
  });
  afterEach(() => world.clear());
  afterAll(() => world.end());

  const begin = async (): Promise<void> => {
    owner = await world.publisher(database);
    await owner.set('k', 1);
  };

  it('knows a change within a fraction of a second when broadcasts arrive, and within its period when they are lost', async () => {
    await begin();
    const [hearing, deaf] = [await world.reader('hearing'), await world.reader('deaf', { deaf: { changes: true, ticks: true } })];
    await Promise.all([hearing.knows('k', 1), deaf.knows('k', 1)]);
    await Promise.all([hearing.fresh(), deaf.fresh()]);
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await Promise.all([hearing.knows('k', 2), deaf.knows('k', 2)]);
    expect(trustedWrongly(await hearing.seen(), change)).toBeLessThan(1_000);
    expect(trustedWrongly(await deaf.seen(), change)).toBeLessThan(2_500);
    expect((await deaf.now()).swaps).toBe(1);
  });

  it('is not fresh for ever on ticks alone: with changes lost and questions unanswered it is cut off', async () => {
    await begin();
    const reader = await world.reader('ticks-only');
    await reader.fresh();
    await reader.ears({ changes: true, since: true });
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await reader.state('cut_off');
    expect((await reader.now()).things['k']).toBe(1);
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
    await reader.ears({ changes: false, since: false });
    await reader.fresh();
    expect((await reader.now()).things['k']).toBe(2);
  });

  it('was not frozen: one that wakes is stale at once, whatever hints wait in its socket', async () => {
    await begin();
    const reader = await world.reader('sleeper');
    await reader.knows('k', 1);
    await reader.fresh();
    reader.freeze();
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await delay(BOUND_MS + 250);
    reader.thaw();
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });

  it('has an owner whose relay works: while committed changes wait for their sequence, every reader goes stale', async () => {
    await begin();
    const reader = await world.reader('behind-the-relay');
    await reader.knows('k', 1);
    await reader.fresh();
    const { change, stale } = await withSql(database, async (client) => {
      // The relay needs this row; questions only read it.
      await client.query('BEGIN');
      await client.query('SELECT FROM probe_feed_head FOR UPDATE');
      const held = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
      const cutOff = await reader.state('cut_off');
      await client.query('ROLLBACK');
      return { change: held, stale: cutOff };
    });
    expect(stale.things['k']).toBe(1);
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });

  it('has loaded a snapshot and made a round trip after it', async () => {
    await begin();
    const reader = await world.reader('slow-snapshot', { deaf: { snapshotMs: 500 } });
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await reader.fresh();
    expect(await reader.now()).toMatchObject({ things: { k: 2 }, swaps: 1 });
    expect(trustedWrongly(await reader.seen(), change)).toBe(0);
  });

  it('keeps what a change did during a snapshot: an older snapshot does not bring a removed thing back', async () => {
    await begin();
    const reader = await world.reader('overtaken', { deaf: { snapshotMs: 400 } });
    await owner.setMany('x', 3, 7);
    await owner.set('k', null);
    await owner.set('x1', null);
    await reader.fresh();
    expect((await reader.now()).things).toEqual({ x0: 7, x2: 7 });
    expect((await reader.seen()).filter(({ state, things }) => state === 'fresh' && 'k' in things)).toEqual([]);
  });
});
