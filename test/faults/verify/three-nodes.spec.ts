import { type TestNatsCluster, routesStand, startNatsCluster } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, flawed, pause, report, spread } from '../fleet.js';

describe('three nats-servers under two gateways and four workers', () => {
  let cluster: TestNatsCluster;
  let fleet: Fleet;

  beforeAll(async () => {
    cluster = await startNatsCluster(3);
    fleet = await Fleet.start({ url: cluster.url, workers: 4, gateways: 0 });
  });

  beforeEach(async () => await fleet.renew(2));

  afterAll(async () => {
    await fleet?.end();
    await cluster?.end();
  });

  const open = async (tokens: number): Promise<void> => {
    await Promise.all(
      fleet.gateways.map((gateway, i) => fleet.openAndFlow({ count: 60, tokens, hz: 30, gapMs: 3, seed: 1_000 * i }, gateway)),
    );
  };

  const expectNothingLost = async (what: string, tokens: number): Promise<void> => {
    const results = (await Promise.all(fleet.gateways.map((gateway) => gateway.ask<StreamResult[]>('results')))).flat();
    const stats = await Promise.all(fleet.gateways.map((gateway) => gateway.ask<GatewayStats>('stats')));
    report(what, `pause ${spread(results.map((r) => r.pause))}`);
    expect(flawed(results, tokens)).toEqual([]);
    for (const { counters } of stats) expect(counters).toMatchObject({ lostWorkers: 0, lostStreams: 0, restarts: 0, failed: 0 });
  };

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    it(`cost no token when ended by ${signal}`, async () => {
      await open(400);
      for (const server of cluster.servers) {
        await server.kill(signal);
        await pause(1_000);
        await server.restart();
        expect(await routesStand(cluster.servers)).toBe(true);
        await pause(500);
      }
      await expectNothingLost(`three nodes by ${signal}`, 400);
    });
  }

  it('cost no token when one hangs', async () => {
    await open(450);
    cluster.servers[0]!.freeze();
    await pause(8_000);
    cluster.servers[0]!.thaw();
    await expectNothingLost('one node by SIGSTOP 8 s', 450);
  });
});
