import { describe, expect, it } from 'vitest';
import { flawed, type GatewayStats, report, spread, type StreamResult } from './fleet.js';
import { LossStage } from './loss-stage.js';

const stage = LossStage.around();

describe('a stream', () => {
  it('delivers every token once and in order', async () => {
    await stage.fleet.gateway.ask('open', { count: 150, tokens: 100, hz: 30 });
    const results = await stage.fleet.gateway.ask<StreamResult[]>('results');
    const { counters } = await stage.fleet.gateway.ask<GatewayStats>('stats');
    report('baseline pause', spread(results.map((r) => r.pause)));
    report('baseline ttft', spread(results.map((r) => r.ttft ?? Number.NaN)));
    expect(flawed(results, 100)).toEqual([]);
    expect(counters).toMatchObject({ completed: 150, failed: 0, gaps: 0, restarts: 0, lateFrames: 0 });
  });

  it('moves after an engine error before its first token', async () => {
    await stage.fleet.gateway.ask('open', {
      count: 12,
      tokens: 30,
      hz: 60,
      fail: { at: 0, code: 'engine_error', workers: [...stage.fleet.workers.keys()].slice(0, 2) },
    });
    expect(flawed(await stage.results(), 30)).toEqual([]);

    await stage.fleet.gateway.ask('open', {
      count: 12,
      seed: 50,
      tokens: 30,
      hz: 60,
      fail: { at: 3, code: 'engine_error', workers: [...stage.fleet.workers.keys()] },
    });
    const failed = (await stage.results()).slice(12);
    expect(failed.filter((r) => r.outcome !== 'error' || r.code !== 'engine_error' || r.tokens !== 3 || r.wrong > 0)).toEqual([]);
  });

  it('fails at once by an error that is final', async () => {
    await stage.fleet.gateway.ask('open', {
      count: 4,
      tokens: 30,
      hz: 60,
      fail: { at: 0, code: 'context_length_exceeded', workers: [...stage.fleet.workers.keys()] },
    });
    const results = await stage.results();
    expect(results.filter((r) => r.code !== 'context_length_exceeded' || r.workers.length !== 1)).toEqual([]);
  });
});
