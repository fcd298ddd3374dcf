import { CancelJob, FindDataset, FindUpload, ListCheckpoints, OpenUpload, PauseJob, ReadJobEvents, ResumeJob } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SmallDisk } from '../../testing/small-disk.js';
import { until } from '../../testing/until.js';
import { checked, conversations, DoorClient } from '../bytes.js';
import { anAccount } from '../rig.js';
import { allSteps, type FleetWorker, TrainingFleet } from '../training-fleet.js';

const STEPS = 240;
const AWAY_MS = 60_000;

let postgres: TestPostgres;
let fleet: TrainingFleet;
let disk: SmallDisk | null;
let worker: FleetWorker;

beforeAll(async () => {
  postgres = await startTestPostgres();
  disk = await SmallDisk.mount(64);
  fleet = await TrainingFleet.open(postgres, disk ? { BLOB_DIR: disk.path } : {});
  worker = await fleet.startWorker(['--step-ms', '30']);
});
afterAll(async () => {
  await fleet?.close();
  await disk?.unmount();
  await postgres.stop();
});

const hasCheckpoint = ({ account, job }: Awaited<ReturnType<TrainingFleet['job']>>): Promise<unknown> =>
  until('a checkpoint', async () => (await fleet.rig.ask(ListCheckpoints, { account, job })).checkpoints.length > 0, 120_000);

describe('a database that is away for a minute', () => {
  it('at the end of a training costs nothing but time', async () => {
    const { account, job } = await fleet.job();
    await fleet.seen(account, job, 'is half done', ({ step }) => step >= STEPS / 2);
    fleet.database.cut();
    const since = performance.now();
    await until('a minute has passed', () => performance.now() - since > AWAY_MS, 2 * AWAY_MS);
    fleet.database.heal();
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 1, progress: 1 });
    expect(await fleet.steps(account, job)).toEqual(allSteps(STEPS));
    expect(await fleet.adapters(account)).toHaveLength(1);
  });
});

describe('tuning-service that is killed', () => {
  it('while a job pauses or is cancelled goes on with it', async () => {
    // Longer than a busy machine takes for a start of the service.
    const made = await fleet.job({ epochs: 80 });
    const { account, job } = made;
    await hasCheckpoint(made);
    await fleet.rig.ask(PauseJob, { account, job });
    await fleet.restartService();
    await fleet.isIn(account, job, 'paused');
    await fleet.restartService();
    await fleet.rig.ask(ResumeJob, { account, job });
    await fleet.isIn(account, job, 'running');
    await fleet.rig.ask(CancelJob, { account, job, keep: true });
    await fleet.restartService();
    const { adapter } = await fleet.isIn(account, job, 'cancelled');
    expect(await fleet.adapters(account)).toEqual([adapter]);
  });

  it('while an adapter is made takes it from the same attempt', async () => {
    const { account, job } = await fleet.job();
    await fleet.isIn(account, job, 'finishing', 'evaluating');
    await fleet.restartService();
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await fleet.adapters(account)).toHaveLength(1);
  });
});

describe('a blob store that is full', () => {
  it('refuses uploads in words, and takes them up again', async (context) => {
    const small = disk ?? context.skip('A small disk cannot be mounted here: it takes root.');
    const account = anAccount();
    const dataset = await fleet.rig.createDataset(account);
    const text = Buffer.from(conversations(200_000));
    const { path, upload } = await fleet.rig.ask(OpenUpload, { account, dataset, bytes: text.length });
    const door = new DoorClient(fleet.rig);
    const half = text.length >> 1;
    expect((await door.patch(path, 0, text.subarray(0, half))).status).toBe(204);
    await small.fill();
    const refused = await door.patch(path, half, text.subarray(half));
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('room') as string]);
    expect((await fleet.rig.ask(FindUpload, { account, upload })).upload).toMatchObject({ state: 'open', received: half });
    await small.clear();
    expect((await door.patch(path, half, text.subarray(half))).status).toBe(204);
    expect(await checked(fleet.rig, account, dataset, 1)).toMatchObject({ state: 'ready', examples: 200_000 });
  });

  it('in the middle of a body keeps what came before it', async (context) => {
    const small = disk ?? context.skip('A small disk cannot be mounted here: it takes root.');
    const account = anAccount();
    const dataset = await fleet.rig.createDataset(account);
    const { path, upload } = await fleet.rig.ask(OpenUpload, { account, dataset, bytes: 10 ** 9 });
    const door = new DoorClient(fleet.rig);
    const refused = await door.patch(path, 0, Buffer.alloc(72 * 2 ** 20, 'x'));
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('room') as string]);
    expect((await fleet.rig.ask(FindUpload, { account, upload })).upload).toMatchObject({ state: 'open', received: 0 });
    // What did not fit was removed, so the store has its room again.
    const other = await fleet.rig.createDataset(account, 'other');
    const next = await fleet.rig.ask(OpenUpload, { account, dataset: other });
    expect((await door.put(next.path, conversations(20))).status).toBe(201);
    expect((await fleet.rig.ask(FindDataset, { account, dataset: other })).versions).toHaveLength(1);
    await small.clear();
  });

  it('holds a finished job up, and loses nothing of it', async (context) => {
    const small = disk ?? context.skip('A small disk cannot be mounted here: it takes root.');
    const { account, job } = await fleet.job();
    await fleet.seen(account, job, 'is half done', ({ step }) => step >= STEPS / 2);
    await small.fill();
    await until(
      'the job waits for the store',
      async () => (await fleet.rig.ask(ReadJobEvents, { account, job })).events.some(({ code }) => code === 'storage_away'),
      120_000,
    );
    await small.clear();
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await fleet.steps(account, job)).toEqual(allSteps(STEPS));
  });
});

describe('a training that diverges', () => {
  it('fails with its reason and leaves nothing to serve', async () => {
    await worker.process.stop();
    await fleet.startWorker(['--scene', 'nan']);
    const { account, job } = await fleet.job({}, { follow: { deploy: { alias: 'support' } } });
    const detail = expect.stringContaining('third of the learning rate') as string;
    expect(await fleet.isIn(account, job, 'failed')).toMatchObject({ reason: 'diverged', adapter: null, detail });
    expect(await fleet.adapters(account)).toEqual([]);
    expect(await fleet.events(account, job)).not.toContain('deployed');
  });
});
