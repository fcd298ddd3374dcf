import { CancelJob, FindTuningUse, ListCheckpoints, PauseJob, ResumeJob } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { allSteps, type FleetWorker, TrainingFleet } from '../training-fleet.js';

const STEPS = 240;

let postgres: TestPostgres;
let fleet: TrainingFleet;
let worker: FleetWorker;

beforeAll(async () => {
  postgres = await startTestPostgres();
  fleet = await TrainingFleet.open(postgres);
  worker = await fleet.startWorker(['--step-ms', '30']);
});
afterAll(async () => {
  await fleet?.close();
  await postgres.stop();
});

type Job = Awaited<ReturnType<TrainingFleet['job']>>;

/** Waits until a job has a checkpoint. */
const hasCheckpoint = ({ account, job }: Job): Promise<unknown> =>
  until('a checkpoint', async () => (await fleet.rig.ask(ListCheckpoints, { account, job })).checkpoints.length > 0, 120_000);

async function paused({ account, job }: Job): Promise<void> {
  await fleet.rig.ask(PauseJob, { account, job });
  await fleet.isIn(account, job, 'paused');
}

const slotIsFree = (): Promise<unknown> => until('nothing of a job is left', () => fleet.childrenOf(worker).length === 0, 60_000);

/** Bytes of an account that count. */
const bytesOf = async ({ account }: Job): Promise<number> => (await fleet.rig.ask(FindTuningUse, { account })).used.bytes;

describe('a paused job', () => {
  it('goes on at another worker, and its curve has no hole', async () => {
    const { account, job } = await fleet.job();
    await fleet.seen(account, job, 'has some steps', ({ step }) => step >= 50);
    await paused({ account, job });
    const { step } = await fleet.stage.view(account, job);
    await slotIsFree();
    await worker.process.stop();
    worker = await fleet.startWorker(['--step-ms', '30']);
    await fleet.rig.ask(ResumeJob, { account, job });
    await fleet.seen(account, job, 'goes on', (view) => view.attempt === 2 && view.step > step);
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await fleet.steps(account, job)).toEqual(allSteps(STEPS));
    expect((await fleet.rig.ask(ListCheckpoints, { account, job })).checkpoints).toEqual([]);
  });
});

describe('a job that is cancelled', () => {
  const ways: [string, (job: Job) => Promise<unknown>, boolean][] = [
    ['while it starts', ({ account, job }) => fleet.isIn(account, job, 'starting', 'running'), false],
    ['while it runs', hasCheckpoint, true],
    ['while it is paused', (job) => hasCheckpoint(job).then(() => paused(job)), true],
    ['while it finishes', ({ account, job }) => fleet.isIn(account, job, 'finishing', 'evaluating'), true],
  ];

  it.each(ways)('%s leaves nothing', async (_, reached) => {
    const made = await fleet.job();
    const { account, job } = made;
    const before = await bytesOf(made);
    await reached(made);
    await fleet.rig.ask(CancelJob, { account, job });
    const { state, adapter } = await fleet.isIn(account, job, 'cancelled', 'succeeded');
    // What was stored before the cancel came stays, and the job says so.
    expect(await fleet.adapters(account)).toEqual(adapter === null ? [] : [adapter]);
    expect(state).toBe(adapter === null ? 'cancelled' : 'succeeded');
    await slotIsFree();
    if (adapter === null) expect(await bytesOf(made)).toBe(before);
  });

  it.each(ways)('%s and kept leaves what there is', async (_, reached, isSomething) => {
    const made = await fleet.job();
    const { account, job } = made;
    await reached(made);
    await fleet.rig.ask(CancelJob, { account, job, keep: true });
    const { adapter } = await fleet.isIn(account, job, 'cancelled', 'succeeded');
    if (isSomething) expect(adapter).not.toBe(null);
    expect(await fleet.adapters(account)).toEqual(adapter === null ? [] : [adapter]);
    await slotIsFree();
  });

  it('while it waits is over at once', async () => {
    const [running, waiting] = [await fleet.job(), await fleet.job()];
    await fleet.isIn(running.account, running.job, 'running');
    expect((await fleet.rig.ask(CancelJob, { ...waiting, keep: true })).state).toBe('cancelled');
    await fleet.rig.ask(CancelJob, running);
    await fleet.isIn(running.account, running.job, 'cancelled');
  });
});
