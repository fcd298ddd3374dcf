import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayStats, type StreamResult, flawed, report, spread } from '../fleet.js';
import { FleetStage } from '../fleet-stage.js';

describe('more streams than slots', () => {
  let stage: FleetStage;
  beforeEach(async () => {
    stage = await FleetStage.open();
  });
  afterEach(() => stage?.end());

  it('wait at their gateway and all complete', async () => {
    const fleet = await stage.fleet({ workers: 4, slots: 32, waitMs: 30_000 });
    await fleet.gateway.ask('open', { count: 300, tokens: 30, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters, refusals } = await fleet.gateway.ask<GatewayStats>('stats');
    report('300 streams on 128 slots', `ttft ${spread(results.map((r) => r.ttft ?? Number.NaN))}, ${refusals['busy'] ?? 0} busy`);
    expect(flawed(results, 30)).toEqual([]);
    expect(counters['failed']).toBe(0);
    expect(refusals['busy'] ?? 0).toBeLessThan(60);
  });

  it('complete at three independent gateways', async () => {
    const fleet = await stage.fleet({ workers: 3, gateways: 3, slots: 32, waitMs: 30_000 });
    const runs = fleet.gateways.map(async (gateway, i) => {
      await gateway.ask('open', { count: 90, tokens: 30, hz: 60, seed: 1_000 * i });
      return await gateway.ask<StreamResult[]>('results');
    });
    const results = (await Promise.all(runs)).flat();
    const busy = await Promise.all(fleet.gateways.map(async (gateway) => (await gateway.ask<GatewayStats>('stats')).refusals['busy'] ?? 0));
    report('3 gateways, 270 streams on 96 slots', `ttft ${spread(results.map((r) => r.ttft ?? Number.NaN))}, busy ${busy.join('/')}`);
    expect(flawed(results, 30)).toEqual([]);
  });

  it('end with overloaded when they wait too long', async () => {
    const fleet = await stage.fleet({ workers: 1, slots: 2, waitMs: 300 });
    await fleet.gateway.ask('open', { count: 6, tokens: 40, hz: 40 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(
      flawed(
        results.filter((r) => r.outcome === 'end'),
        40,
      ),
    ).toEqual([]);
    expect(results.filter((r) => r.code === 'overloaded')).toHaveLength(4);
  });
});
