import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, eventually, flawed, report, spread } from './fleet.js';

interface Drained {
  readonly stopped: number;
  readonly unacknowledged: number;
}

describe('drain', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 4, gateways: 0 });
  });

  beforeEach(async () => await fleet.renew());

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  it('of two loaded workers fails no stream', async () => {
    const opening = fleet.gateway.ask('open', { count: 240, tokens: 60, hz: 30, gapMs: 20 });
    const drained: Drained[] = [];
    for (const wk of [...fleet.workers.keys()].slice(0, 2)) {
      await eventually(async () => (await fleet.stats(wk)).running >= 5, `${wk} is at work`);
      drained.push(await fleet.workers.get(wk)!.ask<Drained>('drain', 20_000));
      fleet.workers.delete(wk);
      await fleet.addWorker();
    }
    await opening;
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters, refusals } = await fleet.gateway.ask<GatewayStats>('stats');
    report('rolling drain of 2 of 4', `pause ${spread(results.map((r) => r.pause))}, refused ${JSON.stringify(refusals)}`);
    expect(drained).toEqual([
      { stopped: 0, unacknowledged: 0 },
      { stopped: 0, unacknowledged: 0 },
    ]);
    expect(flawed(results, 60)).toEqual([]);
    expect(counters).toMatchObject({ failed: 0, lostStreams: 0 });
  });

  it('moves silent streams at its deadline', async () => {
    await fleet.openAndFlow({ count: 20, tokens: 3_000, hz: 30 });
    await fleet.gateway.ask('open', { count: 20, tokens: 10, hz: 30, prefillMs: 2_000, seed: 100 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 40, 'all are accepted');
    const victim = fleet.someWorker;
    const { stopped, unacknowledged } = await fleet.workers.get(victim)!.ask<Drained>('drain', 300);
    fleet.workers.delete(victim);
    expect(stopped).toBeGreaterThan(0);
    expect(unacknowledged).toBe(0);
    await eventually(
      async () => (await fleet.gateway.ask<StreamResult[]>('soFar')).slice(20).every((r) => r.outcome === 'end'),
      'the late ones are whole',
    );
    const results = await fleet.gateway.ask<StreamResult[]>('soFar');
    expect(flawed(results.slice(20), 10)).toEqual([]);
    const cut = results.slice(0, 20).filter((r) => r.workers.includes(victim));
    expect(cut.length).toBeGreaterThan(0);
    expect(cut.filter((r) => r.code !== 'server_shutting_down' || r.wrong > 0)).toEqual([]);
  });
});
