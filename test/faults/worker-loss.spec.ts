import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, eventually, flawed, pause, report, spread } from './fleet.js';

const TOKENS = 180;
const LOAD = { count: 80, tokens: TOKENS, hz: 30, gapMs: 2 };

describe('the loss of a worker', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;
  let victim: string;

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 4, gateways: 0 });
  });

  beforeEach(async () => {
    await fleet.renew();
    victim = fleet.someWorker;
  });

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  /** Checks that streams of the lost worker ended with `worker_lost` in time and all others are complete. */
  const expectOnlyItsStreamsLost = (results: readonly StreamResult[], lost: { wk: string; at: number; withinMs: number }): void => {
    const its = results.filter((r) => r.workers.includes(lost.wk));
    const others = results.filter((r) => !its.includes(r));
    expect(its.length).toBeGreaterThan(0);
    expect(its.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
    expect(its.filter((r) => r.endedAt - lost.at > lost.withinMs)).toEqual([]);
    expect(flawed(others, TOKENS)).toEqual([]);
  };

  it('by kill -9 ends only its streams', async () => {
    await fleet.openAndFlow(LOAD);
    const at = Date.now();
    await fleet.killWorker(victim);
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const lost = results.filter((r) => r.outcome === 'error');
    report('worker kill -9 to worker_lost', `${spread(lost.map((r) => r.endedAt - at))} (${lost.length} streams)`);
    expectOnlyItsStreamsLost(results, { wk: victim, at, withinMs: 1_500 });
  });

  it('by kill -9 moves streams without a token', async () => {
    await fleet.gateway.ask('open', { count: 40, tokens: 30, hz: 30, prefillMs: 2_500 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 40, 'all are accepted');
    await fleet.killWorker(victim);
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await fleet.gateway.ask<GatewayStats>('stats');
    expect(flawed(results, 30)).toEqual([]);
    expect(results.filter((r) => r.workers[0] === victim && r.workers.length === 2).length).toBeGreaterThan(0);
    expect(counters['restarts']).toBe(counters['lostStreams']);
  });

  it('by kill -9 before a start moves it', async () => {
    await fleet.gateway.ask('open', { count: 8, tokens: 30, hz: 60, prefillMs: 2_500 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 8, 'all are accepted');
    await fleet.killWorker(victim);
    // The server knows no subscriber for the victim; the gateway's table still has it.
    await eventually(
      async () => (await fleet.gateway.ask<GatewayStats>('stats')).counters['lostStreams'] !== 0,
      'the gateway sees the loss',
    );
    await fleet.gateway.ask('open', { count: 16, seed: 50, tokens: 30, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(flawed(results.slice(8), 30)).toEqual([]);
  });

  it('by SIGSTOP ends its streams within 4 s', async () => {
    await fleet.openAndFlow(LOAD);
    const at = Date.now();
    fleet.workers.get(victim)!.signal('SIGSTOP');
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    fleet.workers.get(victim)!.signal('SIGCONT');
    const lost = results.filter((r) => r.outcome === 'error');
    report('worker SIGSTOP to worker_lost', `${spread(lost.map((r) => r.endedAt - at))} (${lost.length} streams)`);
    expectOnlyItsStreamsLost(results, { wk: victim, at, withinMs: 4_000 });
    await eventually(async () => (await fleet.stats(victim)).running === 0, 'the woken worker has no work');
    expect((await fleet.gateway.ask<StreamResult[]>('results')).every((r) => r.outcome !== 'twice')).toBe(true);
  });

  it('by a short SIGSTOP costs nothing', async () => {
    await fleet.openAndFlow({ ...LOAD, count: 40 });
    fleet.workers.get(victim)!.signal('SIGSTOP');
    await pause(1_800);
    fleet.workers.get(victim)!.signal('SIGCONT');
    expect(flawed(await fleet.gateway.ask<StreamResult[]>('results'), TOKENS)).toEqual([]);
  });

  it('by SIGSTOP before acceptance moves later starts', async () => {
    fleet.workers.get(victim)!.signal('SIGSTOP');
    await fleet.gateway.ask('open', { count: 8, tokens: 20, hz: 30 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters, refusals } = await fleet.gateway.ask<GatewayStats>('stats');
    fleet.workers.get(victim)!.signal('SIGCONT');
    const failed = results.filter((r) => r.outcome === 'error');
    expect(failed.map((r) => r.code)).toEqual(['deployment_unavailable']);
    expect(
      flawed(
        results.filter((r) => !failed.includes(r)),
        20,
      ),
    ).toEqual([]);
    expect(counters['acceptTimeouts']).toBeGreaterThan(1);
    expect(refusals['silent']).toBe(counters['acceptTimeouts']);
    await eventually(async () => (await fleet.stats(victim)).running === 0, 'the woken worker has no work');
  });

  it('by an engine error moves streams without tokens', async () => {
    await fleet.gateway.ask('open', {
      count: 12,
      tokens: 30,
      hz: 60,
      fail: { at: 0, code: 'engine_error', workers: [...fleet.workers.keys()].slice(0, 2) },
    });
    expect(flawed(await fleet.gateway.ask<StreamResult[]>('results'), 30)).toEqual([]);

    await fleet.gateway.ask('open', {
      count: 12,
      seed: 50,
      tokens: 30,
      hz: 60,
      fail: { at: 3, code: 'engine_error', workers: [...fleet.workers.keys()] },
    });
    const failed = (await fleet.gateway.ask<StreamResult[]>('results')).slice(12);
    expect(failed.filter((r) => r.outcome !== 'error' || r.code !== 'engine_error' || r.tokens !== 3 || r.wrong > 0)).toEqual([]);
  });

  it('by a final error fails at once', async () => {
    await fleet.gateway.ask('open', {
      count: 4,
      tokens: 30,
      hz: 60,
      fail: { at: 0, code: 'context_length_exceeded', workers: [...fleet.workers.keys()] },
    });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(results.filter((r) => r.code !== 'context_length_exceeded' || r.workers.length !== 1)).toEqual([]);
  });
});
