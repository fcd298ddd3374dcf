import { describe, expect, it } from 'vitest';
import { plan } from './capacity.mjs';

describe('the capacity that a load takes', () => {
  it('grows with tokens, and has a gateway to spare', () => {
    const [small, large] = [plan({ streams: 100 }), plan({ streams: 10_000 })];
    expect(small.gateways).toBe(2);
    expect(large.gateways).toBeGreaterThan(20);
    expect(large.cores['worker']).toBeCloseTo(100 * (small.cores['worker'] ?? 0));
  });

  it('counts the heartbeats of all runners at all gateways', () => {
    const fleet = { streams: 10_000, gateways: 1_000, runners: 10_000 };
    const { cores, deliveries } = plan(fleet);
    const alone = plan({ ...fleet, runners: 0 }).cores;
    expect(deliveries).toBe(10_000_000);
    expect((cores['gateway'] ?? 0) - (alone['gateway'] ?? 0)).toBeCloseTo(40 / 0.6);
  });

  it('warns of what one environment cannot hold', () => {
    expect(plan({}).warnings).toEqual([]);
    const { warnings, gateways } = plan({ keys: 20_000_000, runners: 200_000 });
    expect(warnings.join()).toMatch(/20000000 keys.+loads its keys for 300 s.+200000 runners/);
    expect(gateways).toBe(Number.POSITIVE_INFINITY);
    expect(plan({ gateways: 1_000, runners: 10_000 }).warnings.join()).toContain('nats-servers');
  });
});
