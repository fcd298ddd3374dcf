import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, eventually, flawed, pause, report, spread } from './fleet.js';

const LOAD = { count: 80, tokens: 180, hz: 30, gapMs: 2 };

describe('the loss of a gateway', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 3, gateways: 0 });
  });

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  const freezeGateway = async (ms: number): Promise<void> => {
    fleet.gateway.signal('SIGSTOP');
    await pause(ms);
    fleet.gateway.signal('SIGCONT');
  };

  it('by kill -9 stops its engine work only', async () => {
    await fleet.renew(2);
    const [first, second] = fleet.gateways;
    await fleet.openAndFlow({ ...LOAD, count: 40, tokens: 3_000 }, first);
    await first!.ask('open', { count: 20, tokens: 10, hz: 30, prefillMs: 60_000 });
    await fleet.openAndFlow({ ...LOAD, count: 30, tokens: 150, seed: 300 }, second);
    const at = Date.now();
    await first!.kill();
    const results = await second!.ask<StreamResult[]>('results');
    await fleet.idle();
    const aborts = (await fleet.allStats()).flatMap((worker) => worker.aborts);
    report('gateway kill -9 to abort', `${spread(aborts.map((abort) => abort.at - at))} (${aborts.length} streams)`);
    expect(aborts).toHaveLength(60);
    expect(aborts.filter((abort) => abort.at - at > 2_500)).toEqual([]);
    expect(flawed(results, 150)).toEqual([]);
  });

  it('by kill -9 is detected during a prefill', async () => {
    await fleet.renew();
    await fleet.gateway.ask('open', { count: 1, tokens: 10, hz: 30, prefillMs: 60_000 });
    await eventually(async () => (await fleet.allStats()).some(({ running }) => running === 1), 'the engine works');
    const at = Date.now();
    await fleet.gateway.kill();
    await fleet.idle();
    const [abort] = (await fleet.allStats()).flatMap((worker) => worker.aborts).filter((other) => other.at >= at);
    report('gateway kill -9 to abort of a silent prefill', `${abort!.at - at} ms`);
    expect(abort!.at - at).toBeLessThanOrEqual(2_500);
  });

  it('by SIGSTOP beyond the lease ends its streams', async () => {
    await fleet.end();
    fleet = await Fleet.start({ url: nats.url, workers: 3, settings: { leaseMs: 2_000 } });
    await fleet.openAndFlow(LOAD);
    await freezeGateway(4_000);
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(results.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
    expect((await fleet.gateway.ask<GatewayStats>('stats')).refusals).toEqual({});
    expect((await fleet.allStats()).every(({ running, held }) => running === 0 && held === 0)).toBe(true);

    await fleet.everybodyKnown();
    await fleet.gateway.ask('open', { count: 30, tokens: 20, hz: 30, seed: 500 });
    expect(flawed((await fleet.gateway.ask<StreamResult[]>('results')).slice(LOAD.count), 20)).toEqual([]);
  });
});
