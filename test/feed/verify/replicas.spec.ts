import { afterAll, beforeAll, describe, expect } from 'vitest';
import { FeedWorld, sceneTest, trustedWrongly, until, withSql } from '../feed-rig.js';

describe('the replicas of a service', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world?.end());

  const epochIs = async (publisher: { head(): Promise<{ epoch: string } | null> }): Promise<string> =>
    (await publisher.head())?.epoch ?? '';

  it.concurrent('publish one feed without gaps', async ({ scene }) => {
    const [one, two] = [await scene.publisher(), await scene.publisher()];
    const reader = await scene.reader('r');
    const { place } = await reader.fresh();
    await Promise.all([one.setMany('one', 20, 1), two.setMany('two', 20, 2)]);
    await until('everything is known', async () => Object.keys((await reader.now()).things).length === 40);
    expect(await one.head()).toMatchObject({ epoch: place?.epoch, seq: 40 });
    expect((await reader.now()).swaps).toBe(1);
  });

  it.concurrent('continue when the elected one is killed', async ({ scene }) => {
    const [holder, heir] = [await scene.publisher({ alone: true }), await scene.publisher()];
    const reader = await scene.reader('r');
    const before = await reader.fresh();
    await holder.host.kill();
    const change = { id: 'k', n: 5, ...(await heir.set('k', 5)) };
    await reader.knows('k', 5);
    await until('a new epoch is taken up', async () => {
      const { state, place } = await reader.now();
      return state === 'fresh' && place?.epoch !== before.place?.epoch;
    });
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(3_750);
  });

  it.concurrent('continue when the elected one is frozen', async ({ scene }) => {
    const holder = await scene.publisher({ alone: true });
    const epoch = await epochIs(holder);
    const heir = await scene.publisher();
    const reader = await scene.reader('r');
    await reader.fresh();
    holder.host.signal('SIGSTOP');
    await heir.set('k', 1);
    await reader.knows('k', 1);
    const next = await epochIs(heir);
    expect(next).not.toBe(epoch);
    holder.host.signal('SIGCONT');
    await until('the holder is back', () => holder.serving());
    await holder.set('k', 2);
    await reader.knows('k', 2);
    expect(await epochIs(holder)).toBe(next);
    expect((await reader.fresh()).place?.epoch).toBe(next);
  });

  it.concurrent('are absent when all are gone', async ({ scene }) => {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    const old = await scene.reader('old');
    await old.knows('k', 1);
    await old.fresh();
    await owner.stop();
    const young = await scene.reader('young');
    await Promise.all([old.state('absent'), young.state('absent')]);
    expect((await old.now()).things).toEqual({ k: 1 });
    expect(await young.now()).toMatchObject({ ageMs: null, place: null, things: {} });
    await scene.publisher();
    await Promise.all([old.fresh(), young.fresh()]);
    expect((await young.now()).things).toEqual({ k: 1 });
    // From its last proof to the next one it was fresh or the feed absent; it was never cut off.
    const states = (await old.seen()).map(({ state }) => state);
    expect(states.slice(states.indexOf('fresh'))).not.toContain('cut_off');
  });

  it.concurrent('unsubscribe when their database hangs', async ({ scene }) => {
    const gate = await scene.gate(scene.database);
    const owner = await scene.publisher({ databaseUrl: gate.through(scene.database) });
    const reader = await scene.reader('r');
    await owner.set('k', 1);
    await reader.knows('k', 1);
    await reader.fresh();
    gate.swallow();
    await reader.state('absent');
    await expect(owner.setOnce('k', 2)).rejects.toThrow('The database does not answer');
    gate.allow();
    await reader.fresh();
    await owner.set('k', 3);
    await reader.knows('k', 3);
  });

  it.concurrent('send snapshots in pages', async ({ scene }) => {
    const owner = await scene.publisher();
    await withSql(scene.database, async (client) => {
      await client.query(`INSERT INTO thing SELECT 'old' || i, i, 1 FROM generate_series(1, 1200) AS i`);
    });
    const reader = await scene.reader('r');
    expect(Object.keys((await reader.fresh()).things)).toHaveLength(1_200);
    await reader.ears({ changes: true, since: true });
    await reader.state('cut_off');
    // More changes than are kept, so that the reader needs a snapshot.
    await withSql(scene.database, async (client) => {
      await client.query(`INSERT INTO thing VALUES ('last', 7, 1)`);
      await client.query(
        `INSERT INTO probe_feed_outbox (op, record, ver, body) SELECT 'put', 'old1', 1, '{"n": 1}' FROM generate_series(1, 11500)`,
      );
    });
    await until('old changes are dropped', async () =>
      withSql(scene.database, async (client) => (await client.query(`SELECT FROM probe_feed_head WHERE kept_after > 0`)).rowCount === 1),
    );
    await reader.ears({ changes: false, since: false });
    expect(await reader.fresh()).toMatchObject({ swaps: 2 });
    expect(Object.keys((await reader.now()).things)).toHaveLength(1_201);
    expect(await owner.head()).toMatchObject({ seq: 11_500 });
  });
});
