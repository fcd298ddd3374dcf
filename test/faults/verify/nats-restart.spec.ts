import { describe, expect, it } from 'vitest';
import { eventually, Fleet, flawed, pause, report, spread } from '../fleet.js';
import { LossStage } from '../loss-stage.js';
import { expectNothingLost, LOAD } from '../restart-steps.js';

const stage = LossStage.around();

describe('a killed nats-server', () => {
  it('that is killed three times costs no token', async () => {
    await stage.fleet.openAndFlow(LOAD);
    for (let i = 0; i < 3; i += 1) {
      await stage.nats.restart();
      await pause(700);
    }
    await expectNothingLost(stage, 'nats-server kill -9, three times');
  });

  it('only delays streams that are being opened', async () => {
    const opening = stage.fleet.gateway.ask('open', { ...LOAD, gapMs: 15 });
    await eventually(async () => (await stage.fleet.gateway.ask<{ accepted: number }>('progress')).accepted > 20, 'some streams are open');
    await stage.nats.restart();
    await opening;
    const results = await stage.results();
    report('nats-server kill -9 during 66 starts/s', `ttft ${spread(results.map((r) => r.ttft ?? Number.NaN))}`);
    expect(flawed(results, LOAD.tokens)).toEqual([]);
  });

  it('that stays away ends every stream', async () => {
    await stage.fleet.end();
    stage.fleet = await Fleet.start({ url: stage.nats.url, workers: 4, settings: { leaseMs: 2_500 } });
    await stage.fleet.openAndFlow(LOAD);
    await stage.nats.kill();
    const results = await stage.results();
    expect(results.every((r) => r.outcome === 'error' && r.code === 'worker_lost' && r.wrong === 0)).toBe(true);
    await stage.fleet.idle();

    // Only heartbeats after the restart show that a worker is back.
    await eventually(async () => (await stage.fleet.gateway.ask<string[]>('workers')).length === 0, 'no worker is known');
    await stage.nats.restart();
    await eventually(async () => (await stage.fleet.gateway.ask<string[]>('workers')).length === 4, 'workers are back');
    await stage.fleet.gateway.ask('open', { ...LOAD, tokens: 20, seed: 1_000 });
    const after = (await stage.results()).slice(LOAD.count);
    expect(flawed(after, 20)).toEqual([]);
  });
});
