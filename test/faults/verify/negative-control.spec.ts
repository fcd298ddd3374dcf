import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayStats, type StreamResult, flawed } from '../fleet.js';
import { FleetStage } from '../fleet-stage.js';

const TOKENS = 40;

describe('the oracle', () => {
  let stage: FleetStage;
  beforeEach(async () => {
    stage = await FleetStage.open();
  });
  afterEach(() => stage?.end());

  it('detects a frame that is lost for good', async () => {
    const fleet = await stage.fleet({ workers: 2, lossy: { every: 25, hide: false } });
    await fleet.gateway.ask('open', { count: 10, tokens: TOKENS, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(flawed(results, TOKENS)).not.toEqual([]);
    expect(flawed(results, TOKENS).filter((r) => r.outcome !== 'error' || r.wrong > 0)).toEqual([]);
  });

  it('detects a lost frame hidden by renumbering', async () => {
    const fleet = await stage.fleet({ workers: 2, lossy: { every: 25, hide: true } });
    await fleet.gateway.ask('open', { count: 10, tokens: TOKENS, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await fleet.gateway.ask<GatewayStats>('stats');
    const damaged = flawed(results, TOKENS);
    expect(damaged.some((r) => r.wrong > 0)).toBe(true);
    expect(damaged.filter((r) => r.outcome !== 'error')).toEqual([]);
    expect(counters['corrupt']).toBeGreaterThan(0);
  });
});
