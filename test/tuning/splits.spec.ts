import { CancelJob, PlanJob } from '@slipway/contracts';
import { expect } from 'vitest';
import { checked, conversations, uploadFile } from './bytes.js';
import { JobsStage } from './jobs-stage.js';
import { rigTest } from './rig.js';

rigTest('all versions of a data set hold out the same prompts', async ({ served: rig }) => {
  const stage = new JobsStage(rig);
  try {
    const trainer = await stage.trainer();
    // The first version is small: all of it is learned.
    const { account, dataset } = await stage.dataset();
    const given = { account, dataset };
    const specOf = async () => {
      const job = await stage.job(given);
      const { spec } = await stage.given(trainer, job);
      await rig.ask(CancelJob, { account, job });
      await trainer.report(trainer.item(job)!, { state: 'cancelled' });
      await stage.seen(account, job, 'cancelled');
      return spec;
    };
    expect(await specOf()).toMatchObject({ held_out: 0 });
    const specs = [];
    for (const count of [200, 3_000, 40]) {
      await checked(rig, account, dataset, await uploadFile(rig, { account, dataset, text: conversations(count) }));
      specs.push(await specOf());
    }
    const [first, larger, smaller] = specs;
    expect(first!.held_out).toBeGreaterThan(0.05);
    expect(first!.learned).toHaveLength(30);
    for (const later of [larger, smaller]) expect(later).toMatchObject({ held_out: first!.held_out, learned: first!.learned });
    const { plan } = await rig.ask(PlanJob, { ...given, base: 'tiny', settings: { held_out: 0.3 } });
    expect(plan.held_out).toBe(12);
  } finally {
    stage.end();
  }
});
