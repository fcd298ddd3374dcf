import { AddExamples, CreateJob, DeleteDataset, PlanJob, ReadJobEvents, ReportMeasure, SetTuningQuotas } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { checked, conversations, uploadFile } from '../bytes.js';
import { BASE, EMBEDDED, type FakeTrainer } from '../fake-trainer.js';
import { JobsStage } from '../jobs-stage.js';
import { anAccount, TuningRig } from '../rig.js';

let postgres: TestPostgres;
let rig: TuningRig;
let stage: JobsStage;
let trainer: FakeTrainer;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  await rig.startReplica();
  stage = new JobsStage(rig);
  trainer = await stage.trainer();
});
afterAll(async () => {
  stage?.end();
  await rig?.close();
  await postgres.stop();
});

describe('a job', () => {
  it('compares with the version of a keep set that was ready', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const { dataset: kept } = await stage.dataset(account, 'manners');
    const gate = { keep_dataset: kept, keep_points: 5 };
    const keep_set = { dataset: kept, name: 'manners', version: 1 };
    expect((await rig.ask(PlanJob, { ...given, base: 'tiny', gate })).plan.keep_set).toEqual(keep_set);
    const job = await stage.job(given, { gate });
    await rig.ask(AddExamples, {
      account,
      dataset: kept,
      base_version: 1,
      examples: [JSON.parse(conversations(1, () => 'Good morning.'))],
    });
    await checked(rig, account, kept, 2);
    const item = await stage.given(trainer, job);
    expect(item.keep_set).toEqual({ dataset: kept, version: 1 });
    expect((await stage.view(account, job)).keep_set).toEqual(keep_set);
    expect((await rig.outcome(DeleteDataset, { account, dataset: kept })).code).toBe('dataset_in_use');
    await trainer.succeed(item);
    await stage.seen(account, job, 'succeeded');
    await rig.ask(DeleteDataset, { account, dataset: kept });
  });

  it('says that its keep set is the one that cannot be used', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const others = (await stage.dataset()).dataset;
    const empty = await rig.createDataset(account, 'empty');
    const pairs = await rig.createDataset(account, 'pairs', { kind: 'preference' });
    for (const [kept, code] of [
      [others, 'dataset_not_found'],
      [empty, 'dataset_not_ready'],
      [pairs, 'invalid_request'],
    ] as const) {
      const plan = rig.rpc.call(PlanJob, { ...given, base: 'tiny', gate: { keep_dataset: kept } });
      await expect(plan).rejects.toMatchObject({ code, param: 'gate.keep_dataset' });
    }
  });

  it('waits where the disk of the worker has too little room for it', async () => {
    const given = await stage.dataset();
    trainer.facts = { disk_free: 3e9, disk_total: 1e11 };
    trainer.beat();
    const job = await stage.job(given);
    expect(await stage.seen(given.account, job, 'queued', 'no_disk')).toMatchObject({ detail: expect.stringContaining('4.7 GiB') });
    trainer.facts = { disk_free: 6e9, disk_total: 1e11 };
    await trainer.succeed(await stage.given(trainer, job));
  });

  it('waits where the worker has less memory than its base takes', async () => {
    const given = await stage.dataset();
    const slot = { id: 'cpu', device: 'cpu' as const, running: null };
    trainer.facts = { slots: [{ ...slot, bytes: 1e6 }] };
    trainer.beat();
    const job = await stage.job(given);
    expect(await stage.seen(given.account, job, 'queued', 'no_memory')).toMatchObject({
      detail: expect.stringContaining('of memory, less than'),
    });
    trainer.facts = {};
    await trainer.succeed(await stage.given(trainer, job));
  });

  it('waits where the worker has less memory than was planned', async () => {
    const given = await stage.dataset();
    const slot = { id: 'cpu', device: 'cpu' as const, running: null };
    const shape = { layers: 4, width: 192, feed_forward: 512, heads: 3, kv_heads: 3, head_size: 64, vocabulary: 2_048 };
    const memory = { bytes: 80 * 2 ** 20, per_base: 1, per_adapter_number: 16, activations: true };
    const facts = { bases: [{ ...BASE, shape }], trainers: [{ ...EMBEDDED, memory }] };
    trainer.facts = { ...facts, slots: [{ ...slot, bytes: 200 * 2 ** 20 }] };
    trainer.beat();
    const plan = async () => (await rig.rpc.call(PlanJob, { ...given, base: 'tiny' })).plan;
    const planned = await until('the base is known with its shape', async () => {
      const one = await plan();
      return one.memory_bytes !== null && one;
    });
    // A small model and short examples: 92 MiB for the trainer, 244 for what scores beside it.
    expect(planned.memory_bytes! / 2 ** 20).toBeGreaterThan(320);
    expect(planned.memory_bytes! / 2 ** 20).toBeLessThan(350);
    expect(planned.warnings).toContainEqual({ code: 'no_memory', message: expect.stringMatching(/about 0\.\d+ GiB .* 0\.20 GiB/) });
    const job = await stage.job(given);
    expect(await stage.seen(given.account, job, 'queued', 'no_memory')).toMatchObject({ detail: expect.stringContaining('0.20 GiB') });
    trainer.facts = { ...facts, slots: [{ ...slot, bytes: 2 ** 30 }] };
    await trainer.succeed(await stage.given(trainer, job));
    expect((await plan()).warnings.map(({ code }) => code)).not.toContain('no_memory');
    trainer.facts = {};
  });

  it.each([undefined, 'embedded'])('is refused over preferences, naming the trainer that it needs (%s)', async (wanted) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account, 'pairs', { kind: 'preference' });
    const pair = (i: number) => JSON.stringify({ prompt: `Question ${i}?`, chosen: `Good ${i}.`, rejected: `Bad ${i}.` });
    const text = Array.from({ length: 12 }, (_, i) => pair(i)).join('\n');
    await checked(rig, account, dataset, await uploadFile(rig, { account, dataset, text }));
    const asked = { account, dataset, base: 'tiny', ...(wanted !== undefined && { trainer: wanted }) };
    for (const rpc of [PlanJob, CreateJob] as const)
      await expect(rig.rpc.call(rpc as typeof PlanJob, asked)).rejects.toMatchObject({
        code: 'base_not_trainable',
        message: expect.stringMatching(/preferences.*"dpo"/),
      });
  });

  it('over preferences goes to a trainer that learns them, with its beta', async () => {
    const account = anAccount();
    const dataset = await rig.createDataset(account, 'pairs', { kind: 'preference' });
    const pair = (i: number) => JSON.stringify({ prompt: `Question ${i}?`, chosen: `Good ${i}.`, rejected: `Bad ${i}.` });
    await checked(rig, account, dataset, await uploadFile(rig, { account, dataset, text: [...Array(12).keys()].map(pair).join('\n') }));
    const torch = { ...EMBEDDED, name: 'torch', methods: ['sft', 'dpo'], usable: false, detail: 'npx slipway trainers install torch' };
    const asked = { account, dataset, base: 'tiny', settings: { beta: 0.3 } };
    trainer.facts = { trainers: [EMBEDDED, torch] };
    const missing = await until('the trainer is known', () => rig.rpc.call(PlanJob, asked).catch(() => false as const));
    expect(missing.plan).toMatchObject({ trainer: 'torch', placement: expect.stringContaining('npx slipway trainers install torch') });
    trainer.facts = { trainers: [EMBEDDED, { ...torch, usable: true, detail: null }] };
    const job = await stage.job({ account, dataset }, { settings: { beta: 0.3 } });
    const item = await stage.given(trainer, job);
    expect(item.spec).toMatchObject({ trainer: 'torch', method: 'dpo', beta: 0.3, batch: 1 });
    await trainer.succeed(item);
    trainer.facts = {};
  });

  it('is refused above the rank that operators allow', async () => {
    const given = await stage.dataset();
    const plan = (rank: number) => rig.rpc.call(PlanJob, { ...given, base: 'tiny', settings: { rank } });
    await plan(64);
    await expect(plan(65)).rejects.toMatchObject({ code: 'invalid_request', param: 'settings.rank' });
  });

  it('is held to what its account may learn once tokens are counted', async () => {
    const given = await stage.dataset();
    const { account, dataset, version } = given;
    await rig.ask(SetTuningQuotas, { account, quotas: { job_tokens: 50_000 } });
    const [waiting, refusing] = [
      await stage.job(given, { trainer: 'torch' }),
      await stage.job(given, { trainer: 'torch', settings: { too_long: 'refuse' } }),
    ];
    const item = await stage.given(trainer, await stage.job(given));
    const counts = { p50: 10, p99: 12, longest: 5_000, over_context: 2, context: 4_096, exact: true, low: 0, high: 300_000, histogram: [] };
    const measure = { base: 'tiny', tokens: 300_000, learned_tokens: 100_000, ...counts };
    const hashes = { base_sha256: BASE.sha256, template_sha256: BASE.template_sha256 };
    await trainer.rpc.call(ReportMeasure, { tw: trainer.tw, account, dataset, version, ...hashes, measure });
    expect(await stage.view(account, waiting)).toMatchObject({ state: 'failed', reason: 'quota_exceeded' });
    expect(await stage.view(account, refusing)).toMatchObject({
      state: 'failed',
      reason: 'too_long',
      detail: expect.stringMatching(/^2 ex/),
    });
    expect((await rig.outcome(CreateJob, { ...given, base: 'tiny' })).code).toBe('quota_exceeded');
    // The worker's own count, of what it prepared, decides.
    expect(await trainer.report(item, { state: 'running', learned_tokens: 40_000 })).toMatchObject({ desired: 'run' });
    expect(await trainer.report(item, { learned_tokens: 60_000 })).toMatchObject({ desired: 'cancel' });
    expect(await stage.view(account, item.job)).toMatchObject({ state: 'failed', reason: 'quota_exceeded' });
    expect(await trainer.refusal(item, { state: 'finishing' })).toBe('attempt_superseded');
    const { events } = await rig.ask(ReadJobEvents, { account, job: item.job });
    expect(events.at(-1)).toMatchObject({ code: 'failed', data: { code: 'quota_exceeded' } });
  });
});
