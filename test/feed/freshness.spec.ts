import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { FeedWorld, sceneTest, type Publisher, type Scene, trustedWrongly, until, withSql } from './feed-rig.js';

/** Nobody may trust a reader for longer after a commit that it does not know: staleness bound, backlog bound and a look. */
const BOUND_MS = 3_000 + 250 + 250 + 250;

describe('a reader that calls itself fresh', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world.end());

  /** An owner whose feed holds k = 1. */
  async function begin(scene: Scene): Promise<Publisher> {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    return owner;
  }

  it.concurrent('knows a change by its broadcast, or, when broadcasts are lost, by its next question', async ({ scene }) => {
    const owner = await begin(scene);
    const [hearing, asking] = [await scene.reader('hearing'), await scene.reader('asking', { deaf: { changes: true, ticks: true } })];
    await Promise.all([hearing.fresh(), asking.fresh()]);
    await hearing.ears({ since: true });
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await Promise.all([hearing.knows('k', 2), asking.knows('k', 2)]);
    for (const reader of [hearing, asking]) {
      expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
      expect((await reader.now()).swaps).toBe(1);
    }
  });

  it.concurrent('is not fresh for ever on ticks alone: with changes lost and questions unanswered it is cut off', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('ticks-only');
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

  it.concurrent('was not frozen: one that wakes is stale at once, whatever hints wait in its socket', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('sleeper', { alone: true });
    await reader.fresh();
    reader.host.signal('SIGSTOP');
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await delay(BOUND_MS + 250);
    reader.host.signal('SIGCONT');
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });

  it.concurrent('has an owner whose relay works: while committed changes wait for their sequence, every reader goes stale', async ({
    scene,
  }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('behind-the-relay');
    await reader.fresh();
    const change = await withSql(scene.database, async (client) => {
      // The relay needs this row; questions only read it.
      await client.query('BEGIN');
      await client.query('SELECT FROM probe_feed_head FOR UPDATE');
      const held = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
      expect((await reader.state('cut_off')).things['k']).toBe(1);
      await client.query('ROLLBACK');
      return held;
    });
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });

  it.concurrent('has made a round trip after its snapshot, and taken what changed meanwhile', async ({ scene }) => {
    const owner = await begin(scene);
    await owner.setMany('x', 3, 7);
    const reader = await scene.reader('overtaken', { deaf: { snapshots: true } });
    await until('its snapshot is read', async () => (await owner.readers()).length === 1);
    await owner.set('k', null);
    await owner.set('x1', 8);
    await owner.set('x2', null);
    // The claim of a reader that loads is that it knows nothing, whatever it hears.
    expect(await owner.readers()).toMatchObject([{ reader: 'overtaken', epoch: null, seq: 0 }]);
    expect((await reader.now()).state).not.toBe('fresh');
    await reader.ears({ snapshots: false });
    await reader.fresh();
    expect((await reader.now()).things).toEqual({ x0: 7, x1: 8 });
    expect((await reader.seen()).filter(({ state, things }) => state === 'fresh' && 'k' in things)).toEqual([]);
  });

  it.concurrent('does not fall back when a snapshot that it asked for is older than what it has heard since', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('reloading');
    await reader.fresh();
    await reader.ears({ snapshots: true });
    // Another process takes the lock, and with it begins a new epoch: the reader has to load again.
    await owner.stop();
    const heir = await scene.publisher();
    await until('its second snapshot is read', async () => (await heir.readers()).some(({ epoch }) => epoch === null));
    const change = { id: 'k', n: 2, ...(await heir.set('k', 2)) };
    expect(await heir.propagation(change.ticket, 200)).toMatchObject({ propagated: false, waiting: ['reloading'] });
    await reader.ears({ snapshots: false });
    await reader.knows('k', 2);
    await reader.fresh();
    expect((await reader.now()).things['k']).toBe(2);
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });
});
