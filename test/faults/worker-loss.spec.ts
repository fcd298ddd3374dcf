import { describe, expect, it } from 'vitest';
import { eventually, flawed, type GatewayStats, report, spread } from './fleet.js';
import { expectOnlyItsStreamsLost, LOAD, LossStage } from './loss-stage.js';

const stage = LossStage.around();

describe('the loss of a worker', () => {
  it('by kill -9 ends only its streams', async () => {
    await stage.fleet.openAndFlow(LOAD);
    const at = Date.now();
    await stage.fleet.killWorker(stage.victim);
    const results = await stage.results();
    const lost = results.filter((r) => r.outcome === 'error');
    report('worker kill -9 to worker_lost', `${spread(lost.map((r) => r.endedAt - at))} (${lost.length} streams)`);
    expectOnlyItsStreamsLost(results, { wk: stage.victim, at, withinMs: 1_500 });
  });

  it('by kill -9 moves streams without a token', async () => {
    await stage.fleet.gateway.ask('open', { count: 40, tokens: 30, hz: 30, prefillMs: 2_500 });
    await eventually(async () => (await stage.fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 40, 'all are accepted');
    await stage.fleet.killWorker(stage.victim);
    const results = await stage.results();
    const { counters } = await stage.fleet.gateway.ask<GatewayStats>('stats');
    expect(flawed(results, 30)).toEqual([]);
    expect(results.filter((r) => r.workers[0] === stage.victim && r.workers.length === 2).length).toBeGreaterThan(0);
    expect(counters['restarts']).toBe(counters['lostStreams']);
  });

  it('by SIGSTOP ends its streams within 4 s', async () => {
    await stage.fleet.openAndFlow(LOAD);
    const at = Date.now();
    stage.fleet.workers.get(stage.victim)!.signal('SIGSTOP');
    const results = await stage.results();
    stage.fleet.workers.get(stage.victim)!.signal('SIGCONT');
    const lost = results.filter((r) => r.outcome === 'error');
    report('worker SIGSTOP to worker_lost', `${spread(lost.map((r) => r.endedAt - at))} (${lost.length} streams)`);
    expectOnlyItsStreamsLost(results, { wk: stage.victim, at, withinMs: 4_000 });
    await eventually(async () => (await stage.fleet.stats(stage.victim)).running === 0, 'the woken worker has no work');
    expect((await stage.results()).every((r) => r.outcome !== 'twice')).toBe(true);
  });
});
