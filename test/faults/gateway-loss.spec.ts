import { describe, expect, it } from 'vitest';
import { flawed, report, spread, type StreamResult } from './fleet.js';
import { LOAD, LossStage } from './loss-stage.js';

const stage = LossStage.around(3);

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
    const results = await second!.ask<StreamResult[]>('results');
    await stage.fleet.idle();
    const aborts = (await stage.fleet.allStats()).flatMap((worker) => worker.aborts);
    report('gateway kill -9 to abort', `${spread(aborts.map((abort) => abort.at - at))} (${aborts.length} streams)`);
    expect(aborts).toHaveLength(60);
    expect(aborts.filter((abort) => abort.at - at > 2_500)).toEqual([]);
    expect(flawed(results, 150)).toEqual([]);
  });
});
