import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProgramTrainer } from '../../apps/training-worker/src/trainers/program-trainer.js';
import type { TrainerEvent } from '../../apps/training-worker/src/trainers/trainer-events.js';
import type { RunSettings, TrainerProcess } from '../../apps/training-worker/src/trainers/trainer.js';
import { isAlive } from '../testing/is-alive.js';
import { until } from '../testing/until.js';

const SCRIPT = fileURLToPath(new URL('scripted-trainer.mjs', import.meta.url));
const STARTER = fileURLToPath(new URL('start-trainer.mjs', import.meta.url));
const SETTINGS: RunSettings = {
  base: SCRIPT,
  held: true,
  rank: 8,
  alpha: 16,
  modules: ['attn_q'],
  rate: 1e-4,
  leastRate: 1e-6,
  schedule: 'cosine',
  epochs: 2,
  batch: 1,
  method: 'sft',
  beta: 0.1,
  seed: 1,
  tokens: 64,
  checkpointSteps: 4,
};

let folder: string;
const started: TrainerProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-trainer-'));
  const example = JSON.stringify({
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  });
  await writeFile(join(folder, 'train.jsonl'), `${example}\n`.repeat(5));
});
afterEach(async () => {
  for (const process of started) process.kill();
  await Promise.all(started.splice(0).map(({ ended }) => ended));
  await rm(folder, { recursive: true });
});

async function run(args: string[], settings: Partial<RunSettings> = {}) {
  const manifest = join(folder, 'manifest.json');
  const facts = { name: 'scripted', version: '1', command: [process.execPath, SCRIPT, ...args], architectures: ['qwen3'], pause: true };
  await writeFile(manifest, JSON.stringify(facts));
  const events: TrainerEvent[] = [];
  const lines: string[] = [];
  const sink = { event: (event: TrainerEvent) => events.push(event), log: (line: string) => lines.push(line) };
  const trainer = await ProgramTrainer.read(manifest);
  const running = await trainer.start({ folder, settings: { ...SETTINGS, ...settings } }, sink);
  started.push(running);
  return { running, events, lines, steps: () => events.filter(({ ev }) => ev === 'step').length };
}

describe('a trainer as a program', () => {
  it('reports steps, checkpoints and the saved adapter in order', async () => {
    const { running, events, lines } = await run([]);
    expect(await running.ended).toEqual({ kind: 'saved', path: join(folder, 'out/adapter.gguf') });
    expect(events.map(({ ev }) => ev).filter((ev) => ev !== 'step')).toEqual([
      'ready',
      'checkpoint',
      'eval',
      'checkpoint',
      'eval',
      'saved',
    ]);
    expect(lines).toEqual(['training 5 examples']);
  });

  it('pauses with a checkpoint from which it resumes', async () => {
    const first = await run(['--step-ms', '20'], { epochs: 20 });
    await until('three steps', () => first.steps() >= 3);
    first.running.pause();
    expect(await first.running.ended).toEqual({ kind: 'paused' });
    const last = first.events.findLast((event) => event.ev === 'checkpoint');
    expect(last?.ev).toBe('checkpoint');
    const { step, path } = last as Extract<TrainerEvent, { ev: 'checkpoint' }>;
    const second = await run([], { epochs: 20, resume: { step, path } });
    expect(await second.running.ended).toMatchObject({ kind: 'saved' });
    expect(second.events.find((event) => event.ev === 'step')).toMatchObject({ step: step + 1 });
  });

  it('is cancelled, also when it ends like a paused one', async () => {
    const { running, steps } = await run(['--step-ms', '20'], { epochs: 50 });
    await until('two steps', () => steps() >= 2);
    running.cancel();
    expect(await running.ended).toEqual({ kind: 'cancelled' });
  });

  it('is killed when it hangs', async () => {
    const { running, steps } = await run(['--scene', 'hang']);
    await until('the trainer hangs', () => steps() === 4);
    running.kill();
    expect(await running.ended).toEqual({ kind: 'cancelled' });
  });

  it.each([
    ['crash', 'trainer_crashed'],
    ['oom', 'out_of_memory'],
    ['refuse', 'trainer_failed'],
  ])('names the fault of a trainer that plays %s', async (scene, code) => {
    const { running } = await run(['--scene', scene]);
    expect(await running.ended).toMatchObject({ kind: 'failed', fault: { code } });
  });

  it('names a program that does not exist', async () => {
    const manifest = join(folder, 'manifest.json');
    await writeFile(manifest, JSON.stringify({ name: 'gone', version: '1', command: ['./gone'], architectures: ['qwen3'] }));
    const trainer = await ProgramTrainer.read(manifest);
    await expect(trainer.install()).rejects.toMatchObject({ code: 'trainer_unavailable' });
    const running = await trainer.start({ folder, settings: SETTINGS }, { event: () => undefined, log: () => undefined });
    expect(await running.ended).toMatchObject({ kind: 'failed', fault: { code: 'trainer_unavailable' } });
  });

  it('drops what is no event, and says so', async () => {
    const { running, lines } = await run(['--scene', 'noise']);
    expect(await running.ended).toMatchObject({ kind: 'saved' });
    expect(lines).toContain('3 lines on file descriptor 3 were no events.');
  });

  it('takes only the CPU that others leave', async () => {
    const { running, steps } = await run(['--scene', 'hang']);
    await until('the trainer hangs', () => steps() === 4);
    expect(getPriority(running.pid)).toBeGreaterThanOrEqual(5);
    expect(readFileSync(`/proc/${running.pid}/oom_score_adj`, 'utf8').trim()).toBe('500');
  });

  it('leaves no image of its memory when it crashes', async () => {
    const { running, steps } = await run(['--scene', 'hang']);
    await until('the trainer hangs', () => steps() === 4);
    expect(readFileSync(`/proc/${running.pid}/limits`, 'utf8')).toMatch(/Max core file size +0 +0/);
  });

  it.runIf(spawnSync('/bin/sh', ['-c', 'unshare -n true']).status === 0)('reaches no network', async () => {
    const { running, steps } = await run(['--scene', 'hang']);
    await until('the trainer hangs', () => steps() === 4);
    expect(readlinkSync(`/proc/${running.pid}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'));
  });

  it('dies with a worker that is killed', async () => {
    const worker = spawn(process.execPath, [STARTER, SCRIPT, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [chunk] = (await once(worker.stdout, 'data')) as [Buffer];
    const pid = Number(chunk.toString());
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await until('the trainer has ended', () => !isAlive(pid));
  });
});
