import { ListBases, MeasureDataset, PlanJob, ReportMeasure } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { BASE } from './fake-trainer.js';
import { JobsStage } from './jobs-stage.js';
import { anAccount, rigTest } from './rig.js';

rigTest('bases are those of connected workers, whose counts are kept', async ({ served: rig }) => {
  const stage = new JobsStage(rig);
  try {
    const trainer = await stage.trainer();
    await until('the base is known', async () => (await rig.ask(ListBases, { account: anAccount() })).bases.length > 0);
    const given = await stage.dataset();
    const { account, dataset, version } = given;
    expect(await rig.ask(ListBases, { account })).toMatchObject({
      bases: [{ base: 'tiny', trainers: ['embedded'], slots: 1 }],
      workers: 1,
    });
    expect(await rig.ask(MeasureDataset, { account, dataset, version, base: 'tiny' })).toEqual({ measure: null });
    await until('the count is assigned', () => trainer.items.find((item) => item.kind === 'measure' && item.dataset === dataset));
    const counted = { p50: 10, p99: 12, longest: 12, over_context: 0, context: 4_096, exact: true, low: 300, high: 300, histogram: [] };
    const measure = { base: 'tiny', tokens: 300, learned_tokens: 90, ...counted };
    const hashes = { base_sha256: BASE.sha256, template_sha256: BASE.template_sha256 };
    await trainer.rpc.call(ReportMeasure, { tw: trainer.tw, account, dataset, version, ...hashes, measure });
    expect(await rig.ask(MeasureDataset, { account, dataset, version, base: 'tiny' })).toEqual({ measure });
    await until(
      'the count is not assigned any more',
      () => !trainer.items.some((item) => item.kind === 'measure' && item.dataset === dataset),
    );
    const { plan } = await rig.ask(PlanJob, { account, dataset, base: 'tiny', settings: { epochs: 4, held_out: 1 / 6 } });
    expect([plan.learned_tokens, plan.seconds]).toEqual([300, { low: 2, high: 5, from: expect.any(String) as string }]);
  } finally {
    stage.end();
  }
});
