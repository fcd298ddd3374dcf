import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, eventually, flawed, pause, report, spread } from './fleet.js';

const LOAD = { count: 100, tokens: 120, hz: 30, gapMs: 2 };

describe('a killed nats-server', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  const begin = async (): Promise<void> => {
    await fleet.renew();
    await fleet.openAndFlow(LOAD);
  };

  const expectNothingLost = async (what: string): Promise<void> => {
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await fleet.gateway.ask<GatewayStats>('stats');
    report(what, `pause ${spread(results.map((r) => r.pause))}, ${counters['replays']} replays, ${counters['gaps']} gaps`);
    expect(flawed(results, LOAD.tokens)).toEqual([]);
    expect(counters).toMatchObject({ lostWorkers: 0, lostStreams: 0, restarts: 0 });
  };

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 4, gateways: 0 });
  });

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  it('that returns after a second costs no token', async () => {
    await begin();
    await nats.kill();
    await pause(1_000);
    await nats.restart();
    await expectNothingLost('nats-server kill -9, back after 1 s');
  });

  it('that is killed three times costs no token', async () => {
    await begin();
    for (let i = 0; i < 3; i += 1) {
      await nats.restart();
      await pause(700);
    }
    await expectNothingLost('nats-server kill -9, three times');
  });

  it('only delays streams that are being opened', async () => {
    await fleet.renew();
    const opening = fleet.gateway.ask('open', { ...LOAD, gapMs: 15 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted > 20, 'some streams are open');
    await nats.restart();
    await opening;
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    report('nats-server kill -9 during 66 starts/s', `ttft ${spread(results.map((r) => r.ttft ?? Number.NaN))}`);
    expect(flawed(results, LOAD.tokens)).toEqual([]);
  });

  it('that stays away ends every stream', async () => {
    await fleet.end();
    fleet = await Fleet.start({ url: nats.url, workers: 4, settings: { leaseMs: 2_500 } });
    await fleet.openAndFlow(LOAD);
    await nats.kill();
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(results.every((r) => r.outcome === 'error' && r.code === 'worker_lost' && r.wrong === 0)).toBe(true);
    await fleet.idle();

    // Only heartbeats after the restart show that a worker is back.
    await eventually(async () => (await fleet.gateway.ask<string[]>('workers')).length === 0, 'no worker is known');
    await nats.restart();
    await eventually(async () => (await fleet.gateway.ask<string[]>('workers')).length === 4, 'workers are back');
    await fleet.gateway.ask('open', { ...LOAD, tokens: 20, seed: 1_000 });
    const after = (await fleet.gateway.ask<StreamResult[]>('results')).slice(LOAD.count);
    expect(flawed(after, 20)).toEqual([]);
  });
});
