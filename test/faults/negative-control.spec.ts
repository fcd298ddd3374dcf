import { TestNatsServer } from '@slipway/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, flawed } from './fleet.js';

const TOKENS = 40;

describe('the oracle', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeEach(async () => {
    nats = await TestNatsServer.start();
  });

  afterEach(async () => {
    await fleet?.end();
    await nats?.end();
  });

  it('turns red when a frame is lost and never sent again; the stream then ends with an error', async () => {
    fleet = await Fleet.start({ url: nats.url, workers: 2, lossy: { every: 25, hide: false } });
    await fleet.gateway.ask('open', { count: 10, tokens: TOKENS, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(flawed(results, TOKENS)).not.toEqual([]);
    expect(flawed(results, TOKENS).filter((r) => r.outcome !== 'error' || r.wrong > 0)).toEqual([]);
  });

  it('turns red when a frame is lost and the sequence numbers hide it; the checksum refuses the end', async () => {
    fleet = await Fleet.start({ url: nats.url, workers: 2, lossy: { every: 25, hide: true } });
    await fleet.gateway.ask('open', { count: 10, tokens: TOKENS, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await fleet.gateway.ask<GatewayStats>('stats');
    const damaged = flawed(results, TOKENS);
    expect(damaged.some((r) => r.wrong > 0)).toBe(true);
    expect(damaged.filter((r) => r.outcome !== 'error')).toEqual([]);
    expect(counters['corrupt']).toBeGreaterThan(0);
  });
});
