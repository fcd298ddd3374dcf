import { describe, expect, it } from 'vitest';
import { type Drained, eventually, flawed, type GatewayStats, report, spread } from './fleet.js';
import { LossStage } from './loss-stage.js';

const stage = LossStage.around();

// A drain that ends at its deadline is under verify.
describe('drain', () => {
  it('of two loaded workers fails no stream', async () => {
    const drained: Drained[] = [];
    for (const wk of [...stage.fleet.workers.keys()].slice(0, 2)) {
      // A load for each: on a busy machine one for both has ended before the second worker drains.
      const opening = stage.fleet.gateway.ask('open', { count: 120, tokens: 60, hz: 30, gapMs: 20, seed: 1_000 * drained.length });
      await eventually(async () => (await stage.fleet.stats(wk)).running >= 5, `${wk} is at work`);
      drained.push(await stage.fleet.workers.get(wk)!.ask<Drained>('drain', 20_000));
      stage.fleet.workers.delete(wk);
      await stage.fleet.addWorker();
      await opening;
    }
    const results = await stage.results();
    const { counters, refusals } = await stage.fleet.gateway.ask<GatewayStats>('stats');
    report('rolling drain of 2 of 4', `pause ${spread(results.map((r) => r.pause))}, refused ${JSON.stringify(refusals)}`);
    expect(drained).toEqual([
      { stopped: 0, unacknowledged: 0 },
      { stopped: 0, unacknowledged: 0 },
    ]);
    expect(flawed(results, 60)).toEqual([]);
    expect(counters).toMatchObject({ failed: 0, lostStreams: 0 });
  });
});
