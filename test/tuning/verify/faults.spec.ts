import { type AccountId, CancelJob, type JobId, ListAdapters, ReadJobEvents, ReadMetrics } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { ServiceProcess } from '../../services/service-process.js';
import { checked, conversations, uploadFile } from '../bytes.js';
import { type FakeTrainer, point } from '../fake-trainer.js';
import { JobsStage } from '../jobs-stage.js';
import type { BreakableTcp } from '../../deployments/breakable-tcp.js';
import { anAccount, TuningRig } from '../rig.js';

let postgres: TestPostgres;
let rig: TuningRig;
let database: BreakableTcp;
let stage: JobsStage;
let service: ServiceProcess;
let trainer: FakeTrainer;

beforeEach(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  database = await rig.breakableDatabase();
  service = await rig.startProcess();
  stage = new JobsStage(rig);
  trainer = await stage.trainer();
});
afterEach(async () => {
  stage?.end();
  await rig?.close();
  await postgres.stop();
});

const codesOf = async (account: AccountId, job: JobId): Promise<string[]> =>
  (await rig.ask(ReadJobEvents, { account, job })).events.map(({ code }) => code);

/** Kills the service and starts another. */
async function again(): Promise<void> {
  await service.stop('SIGKILL');
  service = await rig.startProcess();
}

describe('a worker', () => {
  it('that dies loses its job to another one, which goes on from the checkpoint', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const job = await stage.job(given);
    const first = await stage.given(trainer, job);
    await trainer.report(first, { state: 'running', steps: 20 });
    await trainer.checkpoint(first, 8);
    await trainer.report(first, { metrics: [point(9)] });
    trainer.freeze();
    const other = await stage.trainer();
    const second = await stage.given(other, job, 2);
    expect(second.resume).toEqual({ step: 8 });
    // The first one wakes: nothing that it says counts, and it is to end its job.
    trainer.thaw();
    expect(await trainer.refusal(first, { state: 'succeeded', ...(await other.result(second)) })).toBe('attempt_superseded');
    await until('the woken worker has nothing to do', () => trainer.jobs().length === 0);
    await other.succeed(second);
    await stage.seen(account, job, 'succeeded');
    expect((await rig.ask(ListAdapters, { account })).adapters).toHaveLength(1);
    expect((await rig.ask(ReadMetrics, { account, job })).points.map(({ step }) => step)).toEqual([8, 9, 10, 20]);
    expect(await codesOf(account, job)).toEqual(['queued', 'placed', 'worker_lost', 'placed']);
  });

  it('that is silent for less than its time keeps its job', async () => {
    const given = await stage.dataset();
    const job = await stage.job(given);
    const item = await stage.given(trainer, job);
    trainer.freeze();
    const since = performance.now();
    await until('some seconds have passed', () => performance.now() - since > 6_000);
    trainer.thaw();
    await trainer.succeed(item);
    expect(await stage.seen(given.account, job, 'succeeded')).toMatchObject({ attempt: 1 });
  });
});

describe('tuning-service', () => {
  it('killed in each state of a job goes on where it was', async () => {
    const given = await stage.dataset();
    const { account } = given;
    const job = await stage.job(given);
    await again();
    const item = await stage.given(trainer, job);
    await again();
    await trainer.report(item, { state: 'running', steps: 20 });
    await again();
    await until('a report is answered', () => trainer.report(item, { metrics: [point(10)] }).catch(() => null));
    expect(await stage.view(account, job)).toMatchObject({ state: 'running', attempt: 1, step: 10 });
    await trainer.report(item, { state: 'finishing' });
    const result = await trainer.result(item);
    await again();
    const done = { state: 'succeeded', ...result } as const;
    await until('the result is answered', () => trainer.report(item, done, 9).catch(() => null));
    await again();
    // The answer may have been lost: the repeated report changes nothing.
    const repeated = await until('the repeated result is answered', () => trainer.report(item, done, 9).catch(() => null));
    const over = await stage.seen(account, job, 'succeeded');
    expect(repeated.adapter).toBe(over.adapter);
    expect((await rig.ask(ListAdapters, { account })).adapters).toHaveLength(1);
  });

  it('killed while it checks a file checks it again', async () => {
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const version = await uploadFile(rig, { account, dataset, text: conversations(150_000) });
    await again();
    expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'ready', examples: 150_000 });
  });

  it('without its database changes nothing, and goes on with it', async () => {
    const given = await stage.dataset();
    const job = await stage.job(given);
    const item = await stage.given(trainer, job);
    await trainer.report(item, { state: 'running', steps: 20 });
    database.cut();
    expect(await trainer.refusal(item, { metrics: [point(5)] })).toBe('unavailable');
    await until('it says that it is not ready', async () => (await service.readiness()).status === 503);
    expect(trainer.item(job)).toMatchObject({ attempt: 1 });
    database.heal();
    await until('a report is answered', () => trainer.report(item, { metrics: [point(5)] }).catch(() => null));
    expect(await stage.view(given.account, job)).toMatchObject({ state: 'running', step: 5, attempt: 1 });
    await rig.ask(CancelJob, { account: given.account, job });
    await until('the worker hears of it', () => trainer.item(job)?.desired === 'cancel');
  });
});

describe('one slot', () => {
  it('goes to three accounts in turn', async () => {
    const accounts = await Promise.all([1, 2, 3].map(() => stage.dataset()));
    const order: number[] = [];
    const [first] = accounts;
    const jobs = [await stage.job(first!)];
    const running = await stage.given(trainer, jobs[0]!);
    jobs.push(await stage.job(first!), await stage.job(accounts[1]!), await stage.job(accounts[2]!));
    for (const job of jobs.slice(1)) await until('all wait', async () => (await stage.view(ownerOf(job), job)).state === 'queued');
    await trainer.succeed(running);
    for (let n = 1; n < jobs.length; n += 1) {
      const item = await until('the next job is assigned', () => trainer.jobs().find(({ job }) => !order.includes(job) && job !== jobs[0]));
      order.push(item.job);
      await trainer.succeed(item);
    }
    expect(order.map((job) => ownerOf(job as never))).toEqual([accounts[1]!.account, accounts[2]!.account, first!.account]);

    function ownerOf(job: (typeof jobs)[number]) {
      return accounts[[0, 0, 1, 2][jobs.indexOf(job)] ?? 0]!.account;
    }
  });
});
