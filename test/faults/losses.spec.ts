import { describe, expect, it } from 'vitest';
import { eventually, flawed, pause, report, spread, type StreamResult } from './fleet.js';
import { LOAD, LossStage } from './loss-stage.js';
import { expectNothingLost, LOAD as RESTART_LOAD } from './restart-steps.js';

interface Cancelled {
  readonly at: number;
  readonly took: number;
  readonly usages: readonly ({ readonly completion: number } | null)[];
  readonly tokens: readonly number[];
}

const stage = LossStage.around(3);

describe('cancel', () => {
  it('stops 100 streams and returns their counts', async () => {
    await stage.fleet.openAndFlow({ count: 100, tokens: 3_000, hz: 30, gapMs: 2 });
    const { at, usages, tokens } = await stage.fleet.gateway.ask<Cancelled>('cancel');
    const stats = await stage.fleet.allStats();
    const aborts = stats.flatMap((worker) => worker.aborts);
    report('cancel of 100 streams to abort', spread(aborts.map((abort) => abort.at - at)));
    expect(aborts).toHaveLength(100);
    expect(stats.every(({ running }) => running === 0)).toBe(true);
    expect(usages.filter((usage, i) => usage === null || usage.completion < tokens[i]!)).toEqual([]);
    await stage.fleet.idle();
  });

  it('stops an engine during prefill', async () => {
    await stage.fleet.gateway.ask('open', { count: 20, tokens: 10, hz: 30, prefillMs: 60_000 });
    await eventually(async () => (await stage.fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 20, 'all are accepted');
    const { usages } = await stage.fleet.gateway.ask<Cancelled>('cancel');
    expect(usages.filter((usage) => usage?.completion !== 0)).toEqual([]);
    expect((await stage.fleet.allStats()).every(({ running }) => running === 0)).toBe(true);
    const results = await stage.fleet.gateway.ask<StreamResult[]>('stop');
    expect(results.filter((r) => r.outcome !== null)).toEqual([]);
  });

  it('leaves no work before any acceptance', async () => {
    await stage.fleet.gateway.ask('openAndCancel', { count: 60, tokens: 3_000, hz: 30 });
    await stage.fleet.idle();
    expect((await stage.fleet.allStats()).every(({ running, held }) => running === 0 && held === 0)).toBe(true);
  });

  it('resolves with null for a frozen worker', async () => {
    await stage.fleet.openAndFlow({ count: 8, tokens: 3_000, hz: 30 });
    for (const worker of stage.fleet.workers.values()) worker.signal('SIGSTOP');
    const { usages, took } = await stage.fleet.gateway.ask<Cancelled>('cancel');
    for (const worker of stage.fleet.workers.values()) worker.signal('SIGCONT');
    expect(usages).toEqual(Array.from({ length: 8 }, () => null));
    expect(took).toBeLessThan(2_000);
    await stage.fleet.idle();
  });
});

// A loss during a prefill, and one beyond the lease, are under verify.
describe('the loss of a gateway', () => {
  it('by kill -9 stops its engine work only', async () => {
    await stage.fleet.addGateway();
    await stage.fleet.everybodyKnown();
    const [first, second] = stage.fleet.gateways;
    await stage.fleet.openAndFlow({ ...LOAD, count: 40, tokens: 3_000 }, first);
    await first!.ask('open', { count: 20, tokens: 10, hz: 30, prefillMs: 60_000 });
    await stage.fleet.openAndFlow({ ...LOAD, count: 30, tokens: 150, seed: 300 }, second);
    const at = Date.now();
    await first!.kill();
    const endedAt = Date.now();
    const results = await second!.ask<StreamResult[]>('results');
    await stage.fleet.idle();
    const aborts = (await stage.fleet.allStats()).flatMap((worker) => worker.aborts).filter((abort) => abort.at >= at);
    const figures = spread(aborts.map((abort) => abort.at - at));
    report('gateway kill -9 to abort', `${figures} (${aborts.length} streams), to its end ${endedAt - at} ms`);
    expect(aborts).toHaveLength(60);
    expect(aborts.filter((abort) => abort.at - at > 2_500)).toEqual([]);
    expect(flawed(results, 150)).toEqual([]);
  });
});

// More kills, starts during one and a server that stays away are under verify.
describe('a killed nats-server', () => {
  it('that returns after a second costs no token', async () => {
    await stage.fleet.openAndFlow(RESTART_LOAD);
    await stage.nats.kill();
    await pause(1_000);
    await stage.nats.restart();
    await expectNothingLost(stage, 'nats-server kill -9, back after 1 s');
  });
});
