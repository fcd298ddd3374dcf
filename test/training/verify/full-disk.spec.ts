import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrainerBase, TrainingItem } from '@slipway/contracts';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { z } from 'zod';
import { trainingWorker } from '../../../apps/training-worker/src/training-worker.js';
import { DEMO_MODEL } from '../../engines/demo-engine.js';
import { SmallDisk } from '../../testing/small-disk.js';
import { until } from '../../testing/until.js';
import { writeAdapter } from '../an-adapter.js';
import { sampleData } from '../sample.js';
import { scriptedManifest, servedLoss } from '../scripted.js';
import { TrainingStage } from '../training-stage.js';
import { TuningDouble } from '../tuning-double.js';

const ENV = 'full';
const LONG_MS = 120_000;

let server: TestNatsServer;
let disk: SmallDisk | null;
let folder: string;
let tuning: TuningDouble;
let worker: RunningService | undefined;
let firstLoss: string;

beforeAll(async () => {
  server = await TestNatsServer.start();
  const stage = await TrainingStage.open();
  firstLoss = await servedLoss(stage);
  stage.close();
});
afterAll(() => server?.end());

beforeEach(async () => {
  disk = await SmallDisk.mount(24);
  folder = await mkdtemp(join(tmpdir(), 'slipway-full-'));
  await mkdir(join(folder, 'models'));
  await copyFile(DEMO_MODEL, join(folder, 'models/Tiny.gguf'));
  await writeAdapter(join(folder, 'random.gguf'), 0.3);
  tuning = await TuningDouble.start(server.url, ENV);
  tuning.put('version:12/3', Buffer.from(sampleData()));
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await tuning.stop();
  await disk?.unmount();
  await rm(folder, { recursive: true });
});

/** The disk of the test; skips it where none can be mounted. */
function diskOf(context: TestContext): SmallDisk {
  return disk ?? context.skip('A small disk cannot be mounted here: it takes root.');
}

interface Scene {
  readonly path: string;
  /** What its trainer plays. */
  readonly scene?: string;
}

/** A worker whose jobs are on the disk. */
async function startWorker({ path, scene }: Scene): Promise<{ tw: string; base: TrainerBase }> {
  const played = scene === undefined ? [] : ['--scene', scene];
  const script = ['--adapter', join(folder, 'random.gguf'), '--first-loss', firstLoss, '--step-ms', '300', ...played];
  worker = await startService(trainingWorker, {
    ...{ SLIPWAY_ENV: ENV, NATS_URL: server.url, LOG_LEVEL: 'error', MODEL_DIRS: join(folder, 'models') },
    ...{ TRAINING_DIR: path, TRAINERS_DIR: join(folder, 'trainers'), TRAINERS: await scriptedManifest(folder, script) },
  });
  const beat = await until('the base is found', () => tuning.beats.findLast(({ bases }) => bases.length > 0), LONG_MS);
  return { tw: beat.tw, base: beat.bases[0]! };
}

function itemOf(base: TrainerBase, job: number): z.input<typeof TrainingItem> {
  const hashes = { base_sha256: base.sha256, template_sha256: base.template_sha256 };
  const settings = { rank: 8, alpha: 16, learning_rate: 1e-4, epochs: 2, schedule: 'cosine' as const, seed: 42, held_out: 0 };
  const limits = { too_long: 'leave_out' as const, early_stop: false, time_limit_s: 600 };
  return {
    kind: 'job',
    ...{ job, account: 1, attempt: 1, slot: 'cpu', desired: 'run', keep: false, dataset: 12, version: 3, resume: null, gate: {} },
    spec: { trainer: 'scripted', base: base.base, method: 'sft', ...hashes, ...settings, ...limits },
  };
}

const ENDS = ['succeeded', 'paused', 'cancelled', 'failed'];
const ended = () => until('the job has ended', () => tuning.reports.find(({ state }) => ENDS.includes(state ?? '')), LONG_MS);

/** A second job of the same worker. */
async function nextJob(tw: string, base: TrainerBase): Promise<string | undefined> {
  tuning.reports.splice(0);
  tuning.assign(tw, 2, [itemOf(base, 42)]);
  return (await ended()).state;
}

describe('a worker whose disk is full', () => {
  it('fails a job that it cannot fetch, and takes the next', async (context) => {
    const small = diskOf(context);
    const { tw, base } = await startWorker({ path: small.path });
    await small.fill();
    tuning.assign(tw, 1, [itemOf(base, 41)]);
    expect(await ended()).toMatchObject({ state: 'failed', reason: 'no_disk', detail: expect.stringContaining('disk') as string });
    await small.clear();
    expect(await nextJob(tw, base)).toBe('succeeded');
  });

  it('at a checkpoint says so, and what was stored stays', async (context) => {
    const { tw, base } = await startWorker({ path: diskOf(context).path, scene: 'full' });
    tuning.assign(tw, 1, [itemOf(base, 41)]);
    expect(await ended()).toMatchObject({ state: 'failed', reason: 'no_disk', detail: expect.stringContaining('disk') as string });
    const stored = tuning.reports.flatMap(({ checkpoint }) => checkpoint ?? []);
    expect(stored.length).toBeGreaterThan(0);
    for (const { adapter, state } of stored) expect([adapter, state].every((sha256) => tuning.blobs.has(sha256 ?? ''))).toBe(true);
    // Its folder is gone, so there is room again.
    await until('nothing of the job is left', () => !existsSync(join(diskOf(context).path, 'jobs/41/1')));
  });

  it('at the end of a job waits for room', async (context) => {
    const { path } = diskOf(context);
    const { tw, base } = await startWorker({ path, scene: 'full-at-end' });
    tuning.assign(tw, 1, [itemOf(base, 41)]);
    const waits = () => tuning.reports.some(({ events = [] }) => events.some(({ code }) => code === 'disk_low'));
    await until('the job waits', waits, LONG_MS);
    expect(tuning.states).not.toContain('failed');
    await rm(join(path, 'jobs/41/1/run/ballast'));
    expect(await ended()).toMatchObject({ state: 'succeeded', adapter: { rank: 8 } });
  });
});
