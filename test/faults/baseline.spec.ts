import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, flawed, report, spread } from './fleet.js';

describe('streams without a fault', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 4 });
  });

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  it('deliver every token once and in order', async () => {
    await fleet.gateway.ask('open', { count: 150, tokens: 100, hz: 30 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await fleet.gateway.ask<GatewayStats>('stats');
    report('baseline pause', spread(results.map((r) => r.pause)));
    report('baseline ttft', spread(results.map((r) => r.ttft ?? Number.NaN)));
    expect(flawed(results, 100)).toEqual([]);
    expect(counters).toMatchObject({ completed: 150, failed: 0, gaps: 0, restarts: 0, lateFrames: 0 });
  });
});
