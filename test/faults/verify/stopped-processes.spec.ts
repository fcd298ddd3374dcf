import { describe, expect, it } from 'vitest';
import { eventually, flawed, type GatewayStats, pause, report, spread } from '../fleet.js';
import { LOAD, TOKENS, LossStage } from '../loss-stage.js';

const stage = LossStage.around();

describe('the loss of a worker', () => {
  it('by a short SIGSTOP costs nothing', async () => {
    await stage.fleet.openAndFlow({ ...LOAD, count: 40 });
    stage.fleet.workers.get(stage.victim)!.signal('SIGSTOP');
    await pause(1_800);
    stage.fleet.workers.get(stage.victim)!.signal('SIGCONT');
    expect(flawed(await stage.results(), TOKENS)).toEqual([]);
  });

  it('by SIGSTOP before acceptance moves later starts', async () => {
    stage.fleet.workers.get(stage.victim)!.signal('SIGSTOP');
    await stage.fleet.gateway.ask('open', { count: 8, tokens: 20, hz: 30 });
    const results = await stage.results();
    const { counters, refusals } = await stage.fleet.gateway.ask<GatewayStats>('stats');
    stage.fleet.workers.get(stage.victim)!.signal('SIGCONT');
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
    await eventually(async () => (await stage.fleet.stats(stage.victim)).running === 0, 'the woken worker has no work');
  });
});

it('a gateway stopped for 2.5 s loses no token', async () => {
  const { fleet } = stage;
  await fleet.openAndFlow(LOAD);
  fleet.gateway.signal('SIGSTOP');
  await pause(2_500);
  fleet.gateway.signal('SIGCONT');
  const results = await stage.results();
  const { counters, refusals } = await fleet.gateway.ask<GatewayStats>('stats');
  report('gateway SIGSTOP 2.5 s', `pause ${spread(results.map((r) => r.pause))}`);
  expect(flawed(results, TOKENS)).toEqual([]);
  expect(counters).toMatchObject({ lostStreams: 0, lostWorkers: 0, stalls: 1 });
  expect(refusals).toEqual({});
});
