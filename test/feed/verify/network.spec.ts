import { startNatsCluster, type TestNatsCluster } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { FeedWorld, sceneTest, trustedWrongly, until } from '../feed-rig.js';

describe('a reader on an unreliable network', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world?.end());

  it('is cut off while its server is gone', async ({ scene }) => {
    const owner = await scene.publisher();
    const reader = await scene.reader('r');
    await owner.set('k', 1);
    await reader.knows('k', 1);
    await reader.fresh();
    await world.nats.kill();
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await reader.state('cut_off');
    expect((await reader.now()).things).toEqual({ k: 1 });
    await world.nats.restart();
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(3_750);
  });

  it('leaves a server that hangs', async ({ scene }) => {
    const cluster: TestNatsCluster = await startNatsCluster(2);
    try {
      const [hanging, good] = cluster.servers;
      const owner = await scene.publisher({ natsUrl: good!.url });
      const reader = await scene.reader('r', { natsUrl: hanging!.url });
      await reader.fresh();
      hanging!.freeze();
      const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
      await until('the change is known by another way', async () => (await reader.now()).things['k'] === 2, 4_000);
      await reader.fresh();
      expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(3_750);
    } finally {
      cluster.servers[0]!.thaw();
      await scene.end();
      await cluster.end();
    }
  });
});
