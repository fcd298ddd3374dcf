import { connectNats, createLogger, overWithin, watchConnection } from '@slipway/platform';
import { startNatsCluster } from '@slipway/testing';
import { expect, it } from 'vitest';

it('a service leaves a hanging server in time', async () => {
  const cluster = await startNatsCluster(2);
  const [hanging, good] = cluster.servers;
  if (!hanging || !good) throw new Error('The cluster has two servers.');
  const nats = await connectNats({ url: hanging.url, role: 'keys', name: 'hung', log: createLogger('test', 'silent') });
  try {
    const moved = new Promise<void>((resolve) => watchConnection(nats, { reconnected: resolve }));
    hanging.freeze();
    // Readers of a feed treat its service as absent after 3 s.
    expect(await overWithin(3_000, moved)).toBe(true);
    expect(nats.getServer()).toBe(new URL(good.url).host);
  } finally {
    hanging.thaw();
    await nats.close();
    await cluster.end();
  }
});
