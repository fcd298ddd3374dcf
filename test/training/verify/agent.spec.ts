import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UploadId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type LoraAdapter, type LoraMatrix, readLoraGguf, writeLoraGguf } from '../../../apps/training-worker/src/results/lora-gguf.js';
import { writePeft } from '../../../apps/training-worker/src/results/peft.js';
import { isAlive } from '../../testing/is-alive.js';
import { until } from '../../testing/until.js';
import { AgentStage, COUNT, EXAMPLES, LONG_MS, processesOf } from '../agent-stage.js';
import { keepData } from '../sample.js';

const MAIN = fileURLToPath(new URL('../../../apps/training-worker/dist/main.js', import.meta.url));

const stage = AgentStage.around();

/** Processes of trainers that were started here. */
const trainers = (): number[] => processesOf(join(stage.folder, 'random.gguf')).filter(isAlive);

/** Processes of tasks that were started here. */
const tasks = (): number[] =>
  processesOf('job/main.js').filter((pid) => readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`));

const zeros = (matrix: LoraMatrix): LoraMatrix => ({ ...matrix, values: new Float32Array(matrix.values.length) });

describe('the agent of a training worker', () => {
  it('reports a failed job with its reason', async () => {
    stage.tuning.put('version:14/1', Buffer.from(keepData(8)));
    stage.assign(stage.jobItem({ dataset: 14, version: 1 }));
    expect(await stage.end()).toBe('failed');
    expect(stage.tuning.reports.at(-1)).toMatchObject({ state: 'failed', reason: 'template_mismatch', attempt: 1, job: stage.job });
  });

  it('asks the keep set that its job names', async () => {
    stage.tuning.put('version:13/2', Buffer.from(keepData(4)));
    stage.assign(stage.jobItem({ keep_set: { dataset: 13, version: 2 } }));
    expect(await stage.end()).toBe('succeeded');
    const { verdict, answers = [] } = stage.tuning.reports.at(-1)!;
    expect(verdict?.checks.find(({ check }) => check === 'keep_set')).toMatchObject({ examples: 4, base: 75, bound: 68 });
    expect(answers.filter(({ keep }) => keep)).toHaveLength(4);
  });

  it('pauses a job, and another attempt continues it', async () => {
    stage.assign(stage.jobItem({}, 8));
    await until('20 steps', () => stage.tuning.steps.length >= 20, LONG_MS);
    stage.assign(stage.jobItem({ desired: 'pause' }, 8));
    expect(await stage.end()).toBe('paused');
    const { checkpoint } = stage.tuning.reports.findLast((report) => report.checkpoint)!;
    const { step, adapter, state } = checkpoint!;
    stage.tuning.named.set(`checkpoint:${step}/adapter`, adapter).set(`checkpoint:${step}/state`, state!);
    stage.tuning.reset();
    stage.tuning.leastAttempt = 2;
    stage.assign(stage.jobItem({ attempt: 2, resume: { step } }, 8));
    expect(await stage.end()).toBe('succeeded');
    expect(stage.tuning.steps[0]).toBe(step + 1);
  });

  it('keeps what it trained where that cannot be stored', async () => {
    stage.tuning.isFull = true;
    try {
      stage.assign(stage.jobItem());
      expect(await stage.end()).toBe('failed');
      expect(stage.tuning.reports.at(-1)).toMatchObject({ reason: 'storage_failed' });
      const codes = stage.tuning.reports.flatMap(({ events = [] }) => events.map(({ code }) => code));
      expect(codes.filter((code) => code === 'kept' || code === 'failed')).toEqual(['kept', 'failed']);
      const kept = join(stage.folder, 'training/jobs', String(stage.job), '1');
      expect(await readdir(kept)).toContain('adapter');
    } finally {
      stage.tuning.isFull = false;
    }
  });

  it('leaves the CPU to others and ends when it is superseded', async () => {
    stage.assign(stage.longJob());
    await until('the first steps', () => stage.tuning.steps.length > 0, LONG_MS);
    const [task] = tasks();
    const threads = readdirSync(`/proc/${task}/task`).map((thread) => getPriority(Number(thread)));
    expect(Math.min(...threads)).toBeGreaterThanOrEqual(5);
    stage.tuning.leastAttempt = 2;
    await until('the slot is free', () => stage.lastBeat?.slots[0]?.running === null, LONG_MS);
    expect(stage.tuning.states).not.toContain('failed');
  });

  it('ignores an assignment of an overruled placer', async () => {
    stage.assign(stage.longJob());
    await until('it runs', () => stage.lastBeat?.slots[0]?.running?.job === stage.job, LONG_MS);
    stage.tuning.assign(stage.tw, stage.term - 1, []);
    const seen = stage.tuning.beats.length;
    await until('two more beats', () => stage.tuning.beats.length > seen + 1, LONG_MS);
    expect(stage.lastBeat).toMatchObject({ assigned: { term: stage.term }, slots: [{ running: { job: stage.job, attempt: 1 } }] });
  });

  describe('given an adapter from outside', () => {
    /** Has it check files of an adapter, each after 512 bytes of something else. */
    async function imported(files: Partial<Record<'gguf' | 'weights' | 'config', Buffer>>, more: { prompts?: string[] } = {}) {
      const gap = Buffer.alloc(512, 7);
      let at = 0;
      const parts = Object.entries(files).map(([part, { length }]) => {
        const from = at + gap.length;
        at = from + length;
        return { part: part as keyof typeof files, from, bytes: length };
      });
      const upload = `u_${String(stage.tuning.imports.length).padStart(20, '0')}` as UploadId;
      stage.tuning.put(`import:${upload}`, Buffer.concat(Object.values(files).flatMap((bytes) => [gap, bytes])));
      const seen = stage.tuning.imports.length;
      stage.assign({ kind: 'import', account: 1, import: upload, base: stage.base.base, base_sha256: stage.base.sha256, parts, ...more });
      return until('the import', () => stage.tuning.imports[seen], LONG_MS);
    }

    it('makes the same of each of its forms, with a witness', async () => {
      expect(stage.lastBeat?.features).toEqual(['import']);
      const gguf = readFileSync(join(stage.folder, 'random.gguf'));
      await writePeft(join(stage.folder, 'peft'), await readLoraGguf(join(stage.folder, 'random.gguf')), 'tiny');
      const [config, weights] = ['adapter_config.json', 'adapter_model.safetensors'].map((name) =>
        readFileSync(join(stage.folder, 'peft', name)),
      );
      const [one, two] = [await imported({ gguf }), await imported({ weights: weights!, config: config! })];
      expect(one.failed).toBe(undefined);
      expect(one.adapter).toMatchObject({
        rank: 8,
        alpha: 16,
        base_sha256: stage.base.sha256,
        template_sha256: stage.base.template_sha256,
      });
      expect(one.adapter?.witness.answers).toHaveLength(8);
      expect(one.adapter?.witness.distance).toBeGreaterThan(0.02);
      expect(two.adapter).toEqual(one.adapter);
      for (const form of [one.adapter!.gguf, one.adapter!.peft]) expect(stage.tuning.blobs.get(form.sha256)?.length).toBe(form.bytes);
      await until('nothing of them is left', async () => (await readdir(join(stage.folder, 'training/sides'))).length === 0);
    });

    it('proves it by prompts of its owner, too', async () => {
      const gguf = readFileSync(join(stage.folder, 'random.gguf'));
      const prompts = Array.from({ length: 8 }, (_, n) => `What is the codename of release ${n}?`);
      const [plain, own] = [await imported({ gguf }), await imported({ gguf }, { prompts })];
      const asked = (from: typeof plain): string[] => from.adapter!.witness.answers.map(({ prompt }) => prompt.join());
      const before = new Set(asked(plain));
      expect(asked(own).filter((prompt) => !before.has(prompt)).length).toBeGreaterThan(0);
      expect(own.adapter!.witness.answers).toHaveLength(8);
    });

    it('repeats what is not answered, and says what is refused', async () => {
      const gguf = readFileSync(join(stage.folder, 'random.gguf'));
      stage.tuning.importRefusals.push('unavailable', 'worker_lost');
      expect((await imported({ gguf })).adapter).toMatchObject({ rank: 8 });
      stage.tuning.importRefusals.push('invalid_request');
      expect((await imported({ gguf })).failed).toMatchObject({ reason: 'worker_failed', detail: expect.stringContaining('was refused') });
      await until('nothing of them is left', async () => (await readdir(join(stage.folder, 'training/sides'))).length === 0);
    });

    it('says why it is none of this base', async () => {
      const file = async (change: (adapter: LoraAdapter) => LoraAdapter): Promise<Buffer> => {
        await writeLoraGguf(join(stage.folder, 'changed.gguf'), change(await readLoraGguf(join(stage.folder, 'random.gguf'))));
        return readFileSync(join(stage.folder, 'changed.gguf'));
      };
      const [first] = (await readLoraGguf(join(stage.folder, 'random.gguf'))).pairs;
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
    stage.assign({ kind: 'measure', account: 1, dataset: 12, version: 3, base: stage.base.base, sample: null });
    const { measure } = await until('the measure', () => stage.tuning.measures[0], LONG_MS);
    expect(measure).toMatchObject({ base: 'tiny', learned_tokens: expect.any(Number), over_context: 0, exact: true, context: 1_024 });
    expect(measure.histogram.reduce((sum, { examples }) => sum + examples, 0)).toBe(COUNT);
    expect(measure.low).toBe(measure.tokens);
    stage.tuning.put('version:12/4', Buffer.from(EXAMPLES));
    stage.assign({ kind: 'measure', account: 1, dataset: 12, version: 4, base: stage.base.base, sample: 10 });
    const { measure: sampled } = await until('the measure of a sample', () => stage.tuning.measures[1], LONG_MS);
    expect(sampled.exact).toBe(false);
    expect(sampled.tokens / measure.tokens).toBeCloseTo(1, 0);
  });

  it('leaves no process behind when it is killed', async () => {
    const env = { ...process.env, ...(await stage.environment('killed')) };
    const child = spawn(process.execPath, [MAIN], { env, stdio: 'inherit' });
    try {
      const killed = (await stage.firstBeat(stage.tw)).tw;
      stage.tuning.assign(killed, 1, [stage.longJob()]);
      await until('it trains', () => stage.tuning.steps.length > 0, LONG_MS);
      expect(trainers().length).toBeGreaterThan(0);
    } finally {
      child.kill('SIGKILL');
    }
    await until('its trainer has ended', () => trainers().length === 0, LONG_MS);
  });
});
