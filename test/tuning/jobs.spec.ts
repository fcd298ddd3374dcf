import {
  CancelJob,
  CreateDeployment,
  CreateJob,
  DeleteAdapter,
  DeleteDataset,
  ExportAdapter,
  FindAdapter,
  ListCheckpoints,
  ListJobs,
  ListTuningAudit,
  PauseJob,
  PlanJob,
  PointAlias,
  ReadAdapterAnswers,
  ReadJobEvents,
  ReadJobLog,
  ReadJobSamples,
  ReadMetrics,
  ReportAdapterUse,
  ResumeJob,
  ServeAdapter,
  SetJobPriority,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerCalls } from '../services/answer-calls.js';
import { ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { DoorClient } from './bytes.js';
import { BASE, type FakeTrainer, point } from './fake-trainer.js';
import { JobsStage } from './jobs-stage.js';
import { anAccount, TuningRig } from './rig.js';

let postgres: TestPostgres;
let rig: TuningRig;
let stage: JobsStage;
let trainer: FakeTrainer;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  await rig.startReplica({ QUOTA_RUNNING_JOBS: '2' });
  stage = new JobsStage(rig);
  trainer = await stage.trainer();
  trainer.slots = ['cpu', 'gpu0', 'gpu1'];
});
afterAll(async () => {
  stage?.end();
  await rig?.close();
  await postgres.stop();
});

describe('a job', () => {
  it('goes from its data set to an adapter that can be served', async () => {
    const { account, dataset } = await stage.dataset();
    const job = await stage.job({ account, dataset }, { name: 'codename', settings: { epochs: 2 } });
    const item = await stage.given(trainer, job);
    expect(item).toMatchObject({
      attempt: 1,
      desired: 'run',
      resume: null,
      spec: { trainer: 'embedded', epochs: 2, rank: 16, base_sha256: BASE.sha256 },
    });
    expect((await trainer.fetch(item)).split('\n')).toHaveLength(31);
    await trainer.report(item, {
      state: 'running',
      steps: 20,
      learned_tokens: 100,
      log: [{ at: new Date().toISOString(), text: 'step 1' }],
    });
    const sample = { step: 10, prompt_no: 0, prompt: 'codename?', answer: 'Blue', expected: 'Blue Heron.' };
    await trainer.report(item, { metrics: [point(5), point(10)], samples: [sample], device_seconds: 1.5 });
    for (const step of [2, 4, 6, 8, 10]) await trainer.checkpoint(item, step, step === 4 ? 0.01 : 1 / step);
    expect((await rig.ask(ListCheckpoints, { account, job })).checkpoints.map(({ step, best }) => [step, best])).toEqual([
      [4, true],
      [8, false],
      [10, false],
    ]);
    expect(await stage.view(account, job)).toMatchObject({ state: 'running', step: 10, steps: 20, progress: 0.5, best_step: 4, loss: 0.1 });
    expect((await rig.outcome(DeleteDataset, { account, dataset })).code).toBe('dataset_in_use');
    await trainer.succeed(item);
    const done = await stage.seen(account, job, 'succeeded');
    expect(done).toMatchObject({ passed: true, progress: 1, device_seconds: 2 });
    const { adapter } = await rig.ask(FindAdapter, { account, adapter: done.adapter! });
    expect(adapter).toMatchObject({
      name: 'codename',
      version: 1,
      job,
      base: 'tiny',
      dataset,
      source_deleted: false,
      verdict: { passed: true },
    });
    const { pairs } = await rig.ask(ReadAdapterAnswers, { account, adapter: adapter.id });
    expect(pairs).toMatchObject([{ adapter: 'Blue Heron.' }]);
    expect((await rig.ask(ReadMetrics, { account, job })).points.map(({ step }) => step)).toEqual([2, 4, 5, 6, 8, 10, 20]);
    expect((await rig.ask(ReadJobSamples, { account, job })).samples).toEqual([sample]);
    expect((await rig.ask(ReadJobLog, { account, job })).lines).toMatchObject([{ attempt: 1, text: 'step 1' }]);
    expect((await rig.ask(ReadJobEvents, { account, job })).events.map(({ code }) => code)).toEqual(['queued', 'placed']);
    await rig.ask(DeleteDataset, { account, dataset });
    expect((await rig.ask(FindAdapter, { account, adapter: adapter.id })).adapter.source_deleted).toBe(true);
    const { path } = await rig.ask(ExportAdapter, { account, adapter: adapter.id, form: 'gguf' });
    const tar = Buffer.from(await (await fetch(await new DoorClient(rig).url(path))).arrayBuffer());
    expect([tar.length % 512, tar.includes('README.md'), tar.includes('adapter.gguf')]).toEqual([0, true, true]);
  });

  it('is made once for an idempotency key, and of its own account', async () => {
    const given = await stage.dataset();
    const request = { ...given, base: 'tiny', idempotency_key: 'j1' };
    const made = await Promise.all(Array.from({ length: 4 }, () => rig.ask(CreateJob, request)));
    expect(new Set(made.map(({ job }) => job)).size).toBe(1);
    const other = anAccount();
    expect((await rig.outcome(CreateJob, { ...request, account: other, idempotency_key: 'j2' })).code).toBe('dataset_not_found');
    expect((await rig.outcome(CreateJob, { ...given, base: 'no-such-base' })).code).toBe('base_not_found');
    expect((await rig.ask(ListJobs, { account: other })).jobs).toEqual([]);
    await rig.ask(CancelJob, { account: given.account, job: made[0]!.job });
  });

  it('is planned without being made', async () => {
    const given = await stage.dataset();
    const { plan } = await rig.ask(PlanJob, { ...given, base: 'tiny', settings: { rank: 32 } });
    expect(plan).toMatchObject({ trainer: 'embedded', version: 1, examples: 30, held_out: 0, steps: 240 });
    expect(plan.settings).toContainEqual({ name: 'rank', value: 32, reason: 'Given.' });
    expect(plan.warnings.map(({ code }) => code)).toContain('rank_high');
    expect((await rig.ask(ListJobs, { account: given.account })).jobs).toEqual([]);
  });

  it('pauses at a checkpoint and goes on from there', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const job = await stage.job(given);
    const item = await stage.given(trainer, job);
    await trainer.report(item, { state: 'running', steps: 20 });
    await trainer.checkpoint(item, 6);
    expect((await rig.ask(PauseJob, { account, job })).state).toBe('pausing');
    await until('the worker hears of it', () => trainer.item(job)?.desired === 'pause');
    await trainer.report(item, { state: 'paused' });
    expect(await stage.view(account, job)).toMatchObject({ state: 'paused', host: 'host-1', step: 6 });
    expect(await trainer.refusal(item, { metrics: [point(7)] })).toBe('attempt_superseded');
    expect((await rig.ask(ResumeJob, { account, job })).state).toBe('queued');
    const again = await stage.given(trainer, job, 2);
    expect(again.resume).toEqual({ step: 6 });
    await trainer.report(again, { state: 'running' });
    expect(await stage.view(account, job)).toMatchObject({ state: 'running', reason: 'resumed', attempt: 2 });
    await trainer.succeed(again);
    await stage.seen(account, job, 'succeeded');
  });

  it('is cancelled in each state, and keeps its best checkpoint if told so', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const waiting = await stage.job(given, { trainer: 'torch' });
    await stage.seen(account, waiting, 'queued');
    expect((await rig.ask(CancelJob, { account, job: waiting })).state).toBe('cancelled');
    const job = await stage.job(given);
    const item = await stage.given(trainer, job);
    await trainer.checkpoint(item, 5);
    expect((await rig.ask(CancelJob, { account, job, keep: true })).state).toBe('cancelling');
    expect(await until('the worker hears of it', () => trainer.item(job)?.desired === 'cancel' && trainer.item(job))).toMatchObject({
      keep: true,
    });
    await trainer.report(item, { state: 'cancelled', ...(await trainer.result(item)) });
    const over = await stage.seen(account, job, 'cancelled');
    expect(over.adapter).not.toBe(null);
    expect((await rig.ask(CancelJob, { account, job })).state).toBe('cancelled');
    expect((await rig.outcome(PauseJob, { account, job })).code).toBe('job_finished');
    expect((await rig.ask(ListCheckpoints, { account, job })).checkpoints).toEqual([]);
  });

  it('that fails says why, and that a repeated report changes nothing', async () => {
    const given = await stage.dataset();
    const job = await stage.job(given);
    const item = await stage.given(trainer, job);
    const event = { at: new Date().toISOString(), level: 'error' as const, code: 'failed', message: 'No.', data: { code: 'diverged' } };
    const failed = { state: 'failed' as const, reason: 'diverged' as const, detail: 'The loss is not a number.', events: [event] };
    const first = await trainer.report(item, failed, 1);
    expect(await trainer.report(item, failed, 1)).toEqual(first);
    expect(await stage.view(given.account, job)).toMatchObject({ state: 'failed', reason: 'diverged', adapter: null });
    const { events } = await rig.ask(ReadJobEvents, { account: given.account, job });
    expect(events.filter(({ code }) => code === 'failed')).toHaveLength(1);
  });

  it('takes late what a worker that died had not reported', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const job = await stage.job(given);
    const item = await stage.given(trainer, job);
    await trainer.report(item, { state: 'running', steps: 20, metrics: [point(1)] });
    await trainer.checkpoint(item, 6);
    await rig.ask(PauseJob, { account, job });
    await trainer.report(item, { state: 'paused' });
    await rig.ask(ResumeJob, { account, job });
    const again = await stage.given(trainer, job, 2);
    await trainer.report(again, { state: 'running', metrics: [{ ...point(8), loss: 0.25 }] });
    const event = { at: new Date().toISOString(), level: 'info' as const, code: 'checkpoint', message: 'Stored.', data: {} };
    const late = { late: true, metrics: [point(7), { ...point(8), loss: 99 }], events: [event], state: 'succeeded' as const };
    const seq = 20;
    for (let i = 0; i < 2; i += 1) expect(await trainer.report(item, late, seq)).toMatchObject({ seq, adapter: null });
    const { points } = await rig.ask(ReadMetrics, { account, job });
    expect(points.map(({ step, loss }) => [step, loss])).toEqual([
      [1, point(1).loss],
      [6, point(6).loss],
      [7, point(7).loss],
      [8, 0.25],
    ]);
    const { events } = await rig.ask(ReadJobEvents, { account, job });
    expect(events.filter(({ code }) => code === 'checkpoint')).toHaveLength(1);
    expect(await stage.view(account, job)).toMatchObject({ state: 'running', attempt: 2 });
    expect(await trainer.refusal(item, { metrics: [point(9)] })).toBe('attempt_superseded');
    await trainer.succeed(again);
  });

  it('waits for an account’s turn and says so', async () => {
    const given = await stage.dataset();
    const jobs = [await stage.job(given), await stage.job(given), await stage.job(given)];
    await stage.given(trainer, jobs[1]!);
    expect(await stage.seen(given.account, jobs[2]!, 'queued', 'account_limit')).toMatchObject({ place: 1 });
    await rig.ask(SetJobPriority, { account: given.account, job: jobs[2]!, priority: 1 });
    expect(await stage.seen(given.account, jobs[2]!, 'queued', 'account_limit')).toMatchObject({ priority: 1 });
    for (const job of jobs) await rig.ask(CancelJob, { account: given.account, job });
    for (const job of jobs.slice(0, 2)) await trainer.report(await stage.given(trainer, job), { state: 'cancelled' });
  });
});

describe('an adapter', () => {
  it('that failed its gate is served for a reason alone, and kept while it is', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const job = await stage.job(given);
    await trainer.succeed(await stage.given(trainer, job), false);
    const { adapter } = await stage.seen(account, job, 'succeeded');
    const deployments = new RpcClient(await rig.connect('deployments'), ENV);
    await expect(deployments.call(ServeAdapter, { account, adapter: adapter! })).rejects.toMatchObject({ code: 'gate_not_passed' });
    const served = await deployments.call(ServeAdapter, { account, adapter: adapter!, override: 'For a comparison.' });
    const { entries } = await rig.ask(ListTuningAudit, { account, object: `adapter:${adapter!}` });
    expect(entries.find(({ action }) => action === 'adapter.override_gate')?.facts).toMatchObject({ reason: 'For a comparison.' });
    expect(served).toMatchObject({ base_path: BASE.path, base_sha256: BASE.sha256, witness: { distance: 1.9 } });
    await deployments.call(ReportAdapterUse, { account, adapter: adapter!, deployments: [42] });
    expect((await rig.outcome(DeleteAdapter, { account, adapter: adapter! })).code).toBe('adapter_in_use');
    await deployments.call(ReportAdapterUse, { account, adapter: adapter!, deployments: [] });
    await rig.ask(DeleteAdapter, { account, adapter: adapter! });
    expect((await rig.outcome(FindAdapter, { account, adapter: adapter! })).code).toBe('adapter_not_found');
  });

  it('is deployed under its alias when the job was to end so', async () => {
    const asked: unknown[] = [];
    const nats = await rig.connect('deployments');
    await answerCalls(nats, CreateDeployment, (request) => (asked.push(request), { id: 77 }));
    await answerCalls(nats, PointAlias, (request) => (asked.push(request), { alias: 'support', deployment: 77 }));
    const given = await stage.dataset();
    const job = await stage.job(given, { follow: { deploy: { alias: 'support' } } });
    await trainer.succeed(await stage.given(trainer, job));
    await until('the event of the deployment', async () => {
      const { events } = await rig.ask(ReadJobEvents, { account: given.account, job });
      return events.some(({ code, data }) => code === 'deployed' && data['deployment'] === 77);
    });
    expect(asked).toMatchObject([
      { idempotency_key: `tuning-job-${job}`, adapter: {} },
      { alias: 'support', deployment: 77 },
    ]);
  });
});
