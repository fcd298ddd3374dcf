import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TrainerBase, TrainingItem, UploadId } from '@slipway/contracts';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type LoraAdapter, type LoraMatrix, readLoraGguf, writeLoraGguf } from '../../apps/training-worker/src/results/lora-gguf.js';
import { writePeft } from '../../apps/training-worker/src/results/peft.js';
import { trainingWorker } from '../../apps/training-worker/src/training-worker.js';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { isAlive } from '../testing/is-alive.js';
import { until } from '../testing/until.js';
import { writeAdapter } from './an-adapter.js';
import { keepData, sampleData } from './sample.js';
import { scriptedManifest, servedLoss } from './scripted.js';
import { TrainingStage } from './training-stage.js';
import { TuningDouble } from './tuning-double.js';

const ENV = 'training';
const MAIN = fileURLToPath(new URL('../../apps/training-worker/dist/main.js', import.meta.url));
const LONG_MS = 60_000;
const COUNT = 12;
/** Enough for a verdict; each is asked before and after. */
const EXAMPLES = sampleData().split('\n').slice(0, COUNT).join('\n');

type Item = z.input<typeof TrainingItem>;

let server: TestNatsServer;
let tuning: TuningDouble;
let worker: RunningService | undefined;
let folder: string;
let base: TrainerBase;
let tw: string;
/** Of the newest assignment: workers ignore older ones. */
let term = 0;
/** Of the newest job: each test has its own. */
let job = 40;
/** What the trainer must report at its first step. */
let firstLoss: string;

/** @param training folder of jobs, of which each worker has one */
async function environment(training: string): Promise<Record<string, string>> {
  const script = ['--adapter', join(folder, 'random.gguf'), '--first-loss', firstLoss, '--step-ms', '40'];
  return {
    SLIPWAY_ENV: ENV,
    NATS_URL: server.url,
    MODEL_DIRS: join(folder, 'models'),
    TRAINING_DIR: join(folder, training),
    TRAINERS_DIR: join(folder, 'trainers'),
    TRAINERS: await scriptedManifest(folder, script),
    LOG_LEVEL: 'error',
  };
}

/** The first report of a worker, other than those named, that has read its bases. */
const firstBeat = (...known: string[]) =>
  until('the base is found', () => tuning.beats.find((beat) => beat.bases.length > 0 && !known.includes(beat.tw)), LONG_MS);

const lastBeat = () => tuning.beats.findLast((beat) => beat.tw === tw);

const assign = (...items: Item[]): void => tuning.assign(tw, (term += 1), items);

/** Runs until it is stopped. */
const longJob = (): Item => jobItem({}, 150);

/** Processes of trainers that were started here. */
const trainers = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid) && commandOf(pid).includes(join(folder, 'random.gguf')));

/** Processes of tasks that were started here. */
const tasks = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid).includes('job/main.js') && statusOf(pid).includes(`\nPPid:\t${process.pid}\n`));

const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'utf8');

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function jobItem(more: Partial<Extract<Item, { kind: 'job' }>> = {}, epochs = 1): Item {
  const hashes = { base_sha256: base.sha256, template_sha256: base.template_sha256 };
  const settings = { rank: 8, alpha: 16, learning_rate: 1e-4, epochs, schedule: 'cosine' as const, seed: 42, held_out: 0 };
  const limits = { too_long: 'leave_out' as const, early_stop: false, time_limit_s: 600 };
  return {
    kind: 'job',
    ...{ job, account: 1, attempt: 1, slot: 'cpu', desired: 'run', keep: false, dataset: 12, version: 3, resume: null, gate: {} },
    spec: { trainer: 'scripted', base: base.base, method: 'sft', ...hashes, ...settings, ...limits },
    ...more,
  };
}

const zeros = (matrix: LoraMatrix): LoraMatrix => ({ ...matrix, values: new Float32Array(matrix.values.length) });

const end = () =>
  until('the job ends', () => tuning.states.find((state) => ['succeeded', 'paused', 'cancelled', 'failed'].includes(state)), LONG_MS);

beforeAll(async () => {
  server = await TestNatsServer.start();
  const stage = await TrainingStage.open();
  firstLoss = await servedLoss(stage);
  stage.close();
  folder = mkdtempSync(join(tmpdir(), 'slipway-trainer-agent-'));
  await mkdir(join(folder, 'models'));
  await copyFile(DEMO_MODEL, join(folder, 'models/Tiny.gguf'));
  await writeFile(join(folder, 'models/notes.gguf'), 'no model');
  await writeAdapter(join(folder, 'random.gguf'), 0.3);
  for (const left of ['7', '8']) await mkdir(join(folder, 'training/jobs', left, '1/run'), { recursive: true });
  const old = new Date(Date.now() - 3 * 86_400_000);
  await utimes(join(folder, 'training/jobs/7'), old, old);
  tuning = await TuningDouble.start(server.url, ENV);
  tuning.put('version:12/3', Buffer.from(EXAMPLES));
  worker = await startService(trainingWorker, await environment('training'));
  const beat = await firstBeat();
  [base] = beat.bases as [TrainerBase];
  ({ tw } = beat);
});
afterAll(async () => {
  await worker?.stop();
  await tuning?.stop();
  await server?.end();
  if (folder) rmSync(folder, { recursive: true });
});
beforeEach(() => {
  job += 1;
});
afterEach(async () => {
  assign();
  await until('the slot is free', () => lastBeat()?.assigned?.term === term && lastBeat()?.slots[0]?.running === null, LONG_MS);
  tuning.reset();
});

describe('the agent of a training worker', () => {
  it('reports bases, trainers and its slot', () => {
    expect(base).toMatchObject({ base: 'tiny', architecture: 'qwen3', parameters: 2_164_928, context: 1_024 });
    const beat = lastBeat()!;
    expect(beat.trainers.map(({ name, installed }) => [name, installed])).toEqual([
      ['embedded', false],
      ['scripted', true],
    ]);
    expect(beat.slots).toMatchObject([{ id: 'cpu', device: 'cpu', running: null }]);
    expect(beat.bases).toHaveLength(1);
  });

  it('removes what a worker left long ago, and nothing newer', async () => {
    expect(await readdir(join(folder, 'training/jobs'))).toEqual(['8']);
  });

  it('reports a failed job with its reason', async () => {
    tuning.put('version:14/1', Buffer.from(keepData(8)));
    assign(jobItem({ dataset: 14, version: 1 }));
    expect(await end()).toBe('failed');
    expect(tuning.reports.at(-1)).toMatchObject({ state: 'failed', reason: 'template_mismatch', attempt: 1, job });
  });

  it('says that the base of a job is another file now', async () => {
    const item = jobItem() as Extract<Item, { kind: 'job' }>;
    assign({ ...item, spec: { ...item.spec, base_sha256: 'f'.repeat(64) } });
    expect(await end()).toBe('failed');
    expect(tuning.reports.at(-1)).toMatchObject({
      state: 'failed',
      reason: 'base_changed',
      detail: expect.stringContaining('was changed'),
    });
  });

  it('trains a job and stores its adapter in both forms', async () => {
    tuning.deaf = 2;
    assign(jobItem());
    expect(await end()).toBe('succeeded');
    expect(tuning.states).toEqual(['starting', 'starting', 'starting', 'running', 'finishing', 'evaluating', 'succeeded']);
    expect(tuning.steps).toEqual(Array.from({ length: COUNT }, (_, i) => i + 1));
    expect(tuning.reports.map(({ seq }) => seq)).toEqual(tuning.reports.map((_, i) => i + 1));
    const { adapter, verdict, answers = [] } = tuning.reports.at(-1)!;
    expect(tuning.blobs.get(adapter?.gguf.sha256 ?? '')?.length).toBe(adapter?.gguf.bytes);
    expect(tuning.blobs.get(adapter?.peft.sha256 ?? '')?.length).toBe(adapter?.peft.bytes);
    expect(verdict?.checks.map(({ check }) => check)).toContain('degenerate');
    expect(answers.length).toBeGreaterThan(0);
    expect(tuning.reports.some(({ checkpoint }) => tuning.blobs.has(checkpoint?.adapter ?? ''))).toBe(true);
    await until('the folder of the job is empty', async () => (await readdir(join(folder, `training/jobs/${job}`))).length === 0);
  });

  it('asks the keep set that its job names', async () => {
    tuning.put('version:13/2', Buffer.from(keepData(4)));
    assign(jobItem({ keep_set: { dataset: 13, version: 2 } }));
    expect(await end()).toBe('succeeded');
    const { verdict, answers = [] } = tuning.reports.at(-1)!;
    expect(verdict?.checks.find(({ check }) => check === 'keep_set')).toMatchObject({ examples: 4, base: 75, bound: 68 });
    expect(answers.filter(({ keep }) => keep)).toHaveLength(4);
  });

  it('pauses a job, and another attempt continues it', async () => {
    assign(jobItem({}, 8));
    await until('20 steps', () => tuning.steps.length >= 20, LONG_MS);
    assign(jobItem({ desired: 'pause' }, 8));
    expect(await end()).toBe('paused');
    const { checkpoint } = tuning.reports.findLast((report) => report.checkpoint)!;
    const { step, adapter, state } = checkpoint!;
    tuning.named.set(`checkpoint:${step}/adapter`, adapter).set(`checkpoint:${step}/state`, state!);
    tuning.reset();
    tuning.leastAttempt = 2;
    assign(jobItem({ attempt: 2, resume: { step } }, 8));
    expect(await end()).toBe('succeeded');
    expect(tuning.steps[0]).toBe(step + 1);
  });

  it('leaves the CPU to others and ends when it is superseded', async () => {
    assign(longJob());
    await until('the first steps', () => tuning.steps.length > 0, LONG_MS);
    const [task] = tasks();
    const threads = readdirSync(`/proc/${task}/task`).map((thread) => getPriority(Number(thread)));
    expect(Math.min(...threads)).toBeGreaterThanOrEqual(5);
    tuning.leastAttempt = 2;
    await until('the slot is free', () => lastBeat()?.slots[0]?.running === null, LONG_MS);
    expect(tuning.states).not.toContain('failed');
  });

  it('ignores an assignment of an overruled placer', async () => {
    assign(longJob());
    await until('it runs', () => lastBeat()?.slots[0]?.running?.job === job, LONG_MS);
    tuning.assign(tw, term - 1, []);
    const seen = tuning.beats.length;
    await until('two more beats', () => tuning.beats.length > seen + 1, LONG_MS);
    expect(lastBeat()).toMatchObject({ assigned: { term }, slots: [{ running: { job, attempt: 1 } }] });
  });

  describe('given an adapter from outside', () => {
    /** Has it check files of an adapter, each after 512 bytes of something else. */
    async function imported(files: Partial<Record<'gguf' | 'weights' | 'config', Buffer>>) {
      const gap = Buffer.alloc(512, 7);
      let at = 0;
      const parts = Object.entries(files).map(([part, { length }]) => {
        const from = at + gap.length;
        at = from + length;
        return { part: part as keyof typeof files, from, bytes: length };
      });
      const upload = `u_${String(tuning.imports.length).padStart(20, '0')}` as UploadId;
      tuning.put(`import:${upload}`, Buffer.concat(Object.values(files).flatMap((bytes) => [gap, bytes])));
      const seen = tuning.imports.length;
      assign({ kind: 'import', account: 1, import: upload, base: base.base, base_sha256: base.sha256, parts });
      return until('the import', () => tuning.imports[seen], LONG_MS);
    }

    it('makes the same of each of its forms, with a witness', async () => {
      expect(lastBeat()?.features).toEqual(['import']);
      const gguf = readFileSync(join(folder, 'random.gguf'));
      await writePeft(join(folder, 'peft'), await readLoraGguf(join(folder, 'random.gguf')), 'tiny');
      const [config, weights] = ['adapter_config.json', 'adapter_model.safetensors'].map((name) =>
        readFileSync(join(folder, 'peft', name)),
      );
      const [one, two] = [await imported({ gguf }), await imported({ weights: weights!, config: config! })];
      expect(one.failed).toBe(undefined);
      expect(one.adapter).toMatchObject({ rank: 8, alpha: 16, base_sha256: base.sha256, template_sha256: base.template_sha256 });
      expect(one.adapter?.witness.answers).toHaveLength(8);
      expect(one.adapter?.witness.distance).toBeGreaterThan(0.02);
      expect(two.adapter).toEqual(one.adapter);
      for (const form of [one.adapter!.gguf, one.adapter!.peft]) expect(tuning.blobs.get(form.sha256)?.length).toBe(form.bytes);
      await until('nothing of them is left', async () => (await readdir(join(folder, 'training/sides'))).length === 0);
    });

    it('says why it is none of this base', async () => {
      const file = async (change: (adapter: LoraAdapter) => LoraAdapter): Promise<Buffer> => {
        await writeLoraGguf(join(folder, 'changed.gguf'), change(await readLoraGguf(join(folder, 'random.gguf'))));
        return readFileSync(join(folder, 'changed.gguf'));
      };
      const [first] = (await readLoraGguf(join(folder, 'random.gguf'))).pairs;
      const failed = async (gguf: Buffer) => (await imported({ gguf })).failed;
      expect(await failed(await file((adapter) => ({ ...adapter, architecture: 'llama' })))).toEqual({
        reason: 'adapter_mismatch',
        detail: 'The adapter is for llama, the base is qwen3.',
      });
      const moved = await file((adapter) => ({ ...adapter, pairs: [{ ...first!, tensor: 'blk.99.attn_q' }] }));
      expect(await failed(moved)).toMatchObject({ reason: 'adapter_mismatch', detail: 'The base has no tensor blk.99.attn_q.weight.' });
      const silent = await file((adapter) => ({ ...adapter, pairs: adapter.pairs.map((pair) => ({ ...pair, b: zeros(pair.b) })) }));
      expect(await failed(silent)).toMatchObject({ reason: 'no_effect' });
      expect(await failed(Buffer.from('GGUF'))).toMatchObject({ reason: 'adapter_mismatch' });
    });
  });

  it('counts the tokens of a data set', async () => {
    assign({ kind: 'measure', account: 1, dataset: 12, version: 3, base: base.base, sample: null });
    const { measure } = await until('the measure', () => tuning.measures[0], LONG_MS);
    expect(measure).toMatchObject({ base: 'tiny', learned_tokens: expect.any(Number), over_context: 0, exact: true, context: 1_024 });
    expect(measure.histogram.reduce((sum, { examples }) => sum + examples, 0)).toBe(COUNT);
    expect(measure.low).toBe(measure.tokens);
    tuning.put('version:12/4', Buffer.from(EXAMPLES));
    assign({ kind: 'measure', account: 1, dataset: 12, version: 4, base: base.base, sample: 10 });
    const { measure: sampled } = await until('the measure of a sample', () => tuning.measures[1], LONG_MS);
    expect(sampled.exact).toBe(false);
    expect(sampled.tokens / measure.tokens).toBeCloseTo(1, 0);
  });

  it('leaves no process behind when it is killed', async () => {
    const env = { ...process.env, ...(await environment('killed')) };
    const child = spawn(process.execPath, [MAIN], { env, stdio: 'inherit' });
    try {
      const killed = (await firstBeat(tw)).tw;
      tuning.assign(killed, 1, [longJob()]);
      await until('it trains', () => tuning.steps.length > 0, LONG_MS);
      expect(trainers().length).toBeGreaterThan(0);
    } finally {
      child.kill('SIGKILL');
    }
    await until('its trainer has ended', () => trainers().length === 0, LONG_MS);
  });
});
