import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type StreamResult, eventually, report, spread } from './fleet.js';

interface Cancelled {
  readonly at: number;
  readonly took: number;
  readonly usages: readonly ({ readonly completion: number } | null)[];
  readonly tokens: readonly number[];
}

describe('cancel', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 3, gateways: 0 });
  });

  beforeEach(async () => await fleet.renew());

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  it('stops 100 streams and returns their counts', async () => {
    await fleet.openAndFlow({ count: 100, tokens: 3_000, hz: 30, gapMs: 2 });
    const { at, usages, tokens } = await fleet.gateway.ask<Cancelled>('cancel');
    const stats = await fleet.allStats();
    const aborts = stats.flatMap((worker) => worker.aborts);
    report('cancel of 100 streams to abort', spread(aborts.map((abort) => abort.at - at)));
    expect(aborts).toHaveLength(100);
    expect(stats.every(({ running }) => running === 0)).toBe(true);
    expect(usages.filter((usage, i) => usage === null || usage.completion < tokens[i]!)).toEqual([]);
    await fleet.idle();
  });

  it('stops an engine during prefill', async () => {
    await fleet.gateway.ask('open', { count: 20, tokens: 10, hz: 30, prefillMs: 60_000 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 20, 'all are accepted');
    const { usages } = await fleet.gateway.ask<Cancelled>('cancel');
    expect(usages.filter((usage) => usage?.completion !== 0)).toEqual([]);
    expect((await fleet.allStats()).every(({ running }) => running === 0)).toBe(true);
    const results = await fleet.gateway.ask<StreamResult[]>('stop');
    expect(results.filter((r) => r.outcome !== null)).toEqual([]);
  });

  it('leaves no work before any acceptance', async () => {
    await fleet.gateway.ask('openAndCancel', { count: 60, tokens: 3_000, hz: 30 });
    await fleet.idle();
    expect((await fleet.allStats()).every(({ running, held }) => running === 0 && held === 0)).toBe(true);
  });

  it('resolves with null for a frozen worker', async () => {
    await fleet.openAndFlow({ count: 8, tokens: 3_000, hz: 30 });
    for (const worker of fleet.workers.values()) worker.signal('SIGSTOP');
    const { usages, took } = await fleet.gateway.ask<Cancelled>('cancel');
    for (const worker of fleet.workers.values()) worker.signal('SIGCONT');
    expect(usages).toEqual(Array.from({ length: 8 }, () => null));
    expect(took).toBeLessThan(2_000);
    await fleet.idle();
  });
});
