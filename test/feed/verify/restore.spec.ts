import { afterAll, beforeAll, describe, expect } from 'vitest';
import { copyDatabase } from '../copy-database.js';
import { FeedWorld, sceneTest, until, withSql } from '../feed-rig.js';

describe('a database restored from a backup', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world?.end());

  it.concurrent('reverts later changes in running readers', async ({ scene }) => {
    const owner = await scene.publisher();
    const backup = `${scene.database}_backup`;
    await owner.set('k', 1);
    await copyDatabase(world.postgres, scene.database, backup);
    const reader = await scene.reader('r');
    await until('the owner is back', () => owner.serving());
    await owner.set('j', 1);
    await owner.set('k', 2);
    await reader.knows('j', 1);
    await reader.knows('k', 2);
    await copyDatabase(world.postgres, backup, scene.database);
    await reader.knows('j', undefined);
    expect((await reader.fresh()).things).toEqual({ k: 1 });
    await owner.set('k', 3);
    await reader.knows('k', 3);
  });

  it.concurrent('is detected despite the same epoch', async ({ scene }) => {
    const first = await scene.publisher();
    const reader = await scene.reader('r');
    await first.set('k', 1);
    await reader.knows('k', 1);
    // A copy of the tables within one epoch, like a backup of the running server.
    await withSql(scene.database, async (client) => {
      await client.query('CREATE TABLE kept_thing AS TABLE thing; CREATE TABLE kept_head AS TABLE probe_feed_head');
    });
    await first.set('j', 1);
    await reader.knows('j', 1);
    await reader.fresh();
    await first.stop();
    await withSql(scene.database, async (client) => {
      await client.query(`BEGIN; DELETE FROM thing; INSERT INTO thing SELECT * FROM kept_thing; DELETE FROM probe_feed_change WHERE seq > 1;
        UPDATE probe_feed_head SET epoch = k.epoch, seq = k.seq FROM kept_head k; COMMIT`);
    });
    const second = await scene.publisher();
    const { ticket } = await second.set('k', 2);
    // The reader's old claim, "everything up to 2", was about another feed.
    expect((await second.propagation(ticket, 100)).propagated).toBe(false);
    await reader.knows('k', 2);
    expect((await reader.fresh()).things).toEqual({ k: 2 });
  });

  it.concurrent('is detected by the running relay', async ({ scene }) => {
    const owner = await scene.publisher();
    const reader = await scene.reader('r');
    await owner.set('k', 1);
    await owner.set('j', 1);
    await reader.knows('j', 1);
    await reader.fresh();
    const epoch = (await owner.head())?.epoch;
    await withSql(scene.database, async (client) => {
      await client.query(
        `BEGIN; DELETE FROM thing WHERE id = 'j'; DELETE FROM probe_feed_change WHERE seq > 1; UPDATE probe_feed_head SET seq = 1; COMMIT`,
      );
    });
    await reader.knows('j', undefined);
    await owner.set('k', 2);
    await reader.knows('k', 2);
    expect((await reader.fresh()).place?.epoch).not.toBe(epoch);
    expect((await owner.head())?.epoch).not.toBe(epoch);
  });
});
