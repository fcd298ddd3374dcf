import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLAIN_ROLES, type PlainRole } from '@slipway/contracts';
import { renderNatsConf } from '@slipway/platform';
import { TestNatsServer, freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type StreamResult, eventually, flawed } from './fleet.js';

describe('with the permissions of production', () => {
  let folder: string;
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-faults-'));
    const passwords = Object.fromEntries(PLAIN_ROLES.map((role) => [role, `secret of ${role}`])) as Record<PlainRole, string>;
    for (const role of PLAIN_ROLES)
      await writeFile(join(folder, `${role}.json`), JSON.stringify({ user: role, password: passwords[role] }));
    const [port = 0] = await freePorts(1);
    const config = renderNatsConf({
      env: 'test',
      host: '127.0.0.1',
      port,
      serverName: 'faults',
      storeDir: join(folder, 'jetstream'),
      passwords,
    });
    nats = await TestNatsServer.start({ port, config });
    fleet = await Fleet.start({ url: nats.url, workers: 2, gateways: 2, credentialsDir: folder });
  });

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('streams, cancels, large starts and restarts work', async () => {
    await fleet.openAndFlow({ count: 20, tokens: 60, hz: 30 });
    await fleet.gateway.ask('open', { count: 1, tokens: 60, hz: 30, seed: 50, pad: 2 * 1024 * 1024 });
    await nats.restart();
    expect(flawed(await fleet.gateway.ask<StreamResult[]>('results'), 60)).toEqual([]);
    await fleet.gateway.ask('openAndCancel', { count: 10, tokens: 3_000, hz: 30 });
    await fleet.idle();
  });

  it('the server reports missing subscribers to both sides', async () => {
    const [first, second] = fleet.gateways;
    await fleet.openAndFlow({ count: 6, tokens: 3_000, hz: 30, seed: 100 }, first);
    await fleet.openAndFlow({ count: 6, tokens: 3_000, hz: 30, seed: 200 }, second);
    await first!.kill();
    await eventually(async () => {
      const stats = await fleet.allStats();
      const foundGone = stats.some(({ counters }) => (counters['gatewaysGone'] ?? 0) > 0);
      return foundGone && stats.reduce((sum, { running }) => sum + running, 0) === 6;
    }, 'the gateway is found gone, and only the work for the other one goes on');
    for (const wk of [...fleet.workers.keys()]) await fleet.killWorker(wk);
    const results = await second!.ask<StreamResult[]>('results');
    expect(results.filter((r) => r.code !== 'worker_lost')).toEqual([]);
  });
});
