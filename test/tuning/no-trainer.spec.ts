import { CancelJob, ListBases, ListTrainers, PlanJob } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { JobsStage } from './jobs-stage.js';
import { rigTest } from './rig.js';

rigTest('a job without a trainer waits, and says what to run', async ({ served: rig }) => {
  const stage = new JobsStage(rig);
  const detail = 'Run `npx slipway trainers install torch` on the worker.';
  const missing = { name: 'torch', installed: false, usable: false, detail, version: null, architectures: ['qwen3'] };
  try {
    const given = await stage.dataset();
    const { account } = given;
    expect((await rig.outcome(PlanJob, { ...given, base: 'tiny' })).code).toBe('base_not_found');
    await stage.trainer({ trainers: [{ ...missing, methods: ['sft'], pause: true }] });
    await until('the plan says so', async () => {
      const { reply } = await rig.outcome(PlanJob, { ...given, base: 'tiny' });
      return reply?.plan.placement.includes(detail);
    });
    const job = await stage.job(given, { trainer: 'torch' });
    expect(await stage.seen(account, job, 'queued', 'no_trainer')).toMatchObject({ detail });
    expect(await rig.ask(ListBases, { account })).toMatchObject({ bases: [{ base: 'tiny', trainers: [], detail }] });
    const worker = { host: 'host-1', bases: ['tiny'], trainers: [{ name: 'torch', usable: false, detail }] };
    expect(await rig.ask(ListTrainers, {})).toMatchObject({ total: 1, workers: [worker] });
    await rig.ask(CancelJob, { account, job });
  } finally {
    stage.end();
  }
});
