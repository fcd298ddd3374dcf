import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, eventually, flawed, pause, report, spread } from './fleet.js';

const TOKENS = 180;
const LOAD = { count: 80, tokens: TOKENS, hz: 30, gapMs: 2 };

describe('a worker that is lost', () => {
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

  /** Streams of the lost worker ended with `worker_lost` in time; all others are whole. */
  const expectOnlyItsStreamsLost = (results: readonly StreamResult[], lost: { wk: string; at: number; withinMs: number }): void => {
    const its = results.filter((r) => r.workers.includes(lost.wk));
    const others = results.filter((r) => !its.includes(r));
    expect(its.length).toBeGreaterThan(0);
    expect(its.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
    expect(its.filter((r) => r.endedAt - lost.at > lost.withinMs)).toEqual([]);
    expect(flawed(others, TOKENS)).toEqual([]);
  };

  it('by kill -9 ends its streams with worker_lost within 1.5 s, and no others', async () => {
    await fleet.openAndFlow(LOAD);
    const at = Date.now();
    await fleet.killWorker(victim);
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const lost = results.filter((r) => r.outcome === 'error');
    report('worker kill -9 to worker_lost', `${spread(lost.map((r) => r.endedAt - at))} (${lost.length} streams)`);
    expectOnlyItsStreamsLost(results, { wk: victim, at, withinMs: 1_500 });
  });

  it('by kill -9 before their first token lets its streams start elsewhere and complete', async () => {
    await fleet.gateway.ask('open', { count: 40, tokens: 30, hz: 30, prefillMs: 2_500 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 40, 'all are accepted');
    await fleet.killWorker(victim);
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await fleet.gateway.ask<GatewayStats>('stats');
    expect(flawed(results, 30)).toEqual([]);
    expect(results.filter((r) => r.workers[0] === victim && r.workers.length === 2).length).toBeGreaterThan(0);
    expect(counters['restarts']).toBe(counters['lostStreams']);
  });

  it('by kill -9 before it got a start lets that one complete elsewhere', async () => {
    await fleet.gateway.ask('open', { count: 8, tokens: 30, hz: 60, prefillMs: 2_500 });
    await eventually(async () => (await fleet.gateway.ask<{ accepted: number }>('progress')).accepted === 8, 'all are accepted');
    await fleet.killWorker(victim);
    // The server knows that nobody serves the victim; the gateway's table still names it.
    await eventually(
      async () => (await fleet.gateway.ask<GatewayStats>('stats')).counters['lostStreams'] !== 0,
      'the gateway sees the loss',
    );
    await fleet.gateway.ask('open', { count: 16, seed: 50, tokens: 30, hz: 60 });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(flawed(results.slice(8), 30)).toEqual([]);
  });

  it('by SIGSTOP ends its streams within 4 s, and it stops their work when it wakes', async () => {
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

  it('by SIGSTOP for less than the silence limit costs nothing', async () => {
    await fleet.openAndFlow({ ...LOAD, count: 40 });
    fleet.workers.get(victim)!.signal('SIGSTOP');
    await pause(1_800);
    fleet.workers.get(victim)!.signal('SIGCONT');
    expect(flawed(await fleet.gateway.ask<StreamResult[]>('results'), TOKENS)).toEqual([]);
  });

  it('by SIGSTOP before it accepts fails the start that it fell silent on; those behind that one go elsewhere', async () => {
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

  it('only to an engine error before the first token lets the stream start elsewhere; after it, the stream fails', async () => {
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

  it('to an error that no other worker can mend is told at once', async () => {
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
