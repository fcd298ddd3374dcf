import { describe, expect, it } from 'vitest';
import { eventually, Fleet, flawed, type GatewayStats, pause, report } from '../fleet.js';
import { LOAD, LossStage } from '../loss-stage.js';

const stage = LossStage.around(3);

async function freezeGateway(ms: number): Promise<void> {
  stage.fleet.gateway.signal('SIGSTOP');
  await pause(ms);
  stage.fleet.gateway.signal('SIGCONT');
}

describe('the loss of a gateway', () => {
  it('by kill -9 is detected during a prefill', async () => {
    await stage.fleet.renew();
    await stage.fleet.gateway.ask('open', { count: 1, tokens: 10, hz: 30, prefillMs: 60_000 });
    await eventually(async () => (await stage.fleet.allStats()).some(({ running }) => running === 1), 'the engine works');
    const at = Date.now();
    await stage.fleet.gateway.kill();
    await stage.fleet.idle();
    const [abort] = (await stage.fleet.allStats()).flatMap((worker) => worker.aborts).filter((other) => other.at >= at);
    report('gateway kill -9 to abort of a silent prefill', `${abort!.at - at} ms`);
    expect(abort!.at - at).toBeLessThanOrEqual(2_500);
  });

  it('by SIGSTOP beyond the lease ends its streams', async () => {
    await stage.fleet.end();
    stage.fleet = await Fleet.start({ url: stage.nats.url, workers: 3, settings: { leaseMs: 2_000 } });
    await stage.fleet.openAndFlow(LOAD);
    await freezeGateway(4_000);
    const results = await stage.results();
    expect(results.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
    expect((await stage.fleet.gateway.ask<GatewayStats>('stats')).refusals).toEqual({});
    expect((await stage.fleet.allStats()).every(({ running, held }) => running === 0 && held === 0)).toBe(true);

    await stage.fleet.everybodyKnown();
    await stage.fleet.gateway.ask('open', { count: 30, tokens: 20, hz: 30, seed: 500 });
    expect(flawed((await stage.results()).slice(LOAD.count), 20)).toEqual([]);
  });
});
