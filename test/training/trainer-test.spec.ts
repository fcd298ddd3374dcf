import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { writeAdapter } from './an-adapter.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/slipway.mjs', import.meta.url));
const SCRIPT = fileURLToPath(new URL('scripted-trainer.mjs', import.meta.url));

interface Check {
  readonly check: string;
  readonly passed: boolean;
  readonly detail: string;
}

let folder: string;
let adapter: string;
/** What the first step must report, as the test itself says. */
let loss: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-trainer-test-'));
  adapter = join(folder, 'random.gguf');
  await writeAdapter(adapter, 0.3);
  const { checks } = await tried('--first-loss', '0');
  [, loss = ''] = /serving engine ([\d.]+)\./.exec(checks.find(({ check }) => check === 'first_loss')!.detail)!;
});
afterAll(() => rm(folder, { recursive: true }));

/** `slipway trainers test`, as a process without a Slipway that runs. */
function trainersTest(manifest: string): Promise<{ code: number; checks: Check[]; message: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, '--json', 'trainers', 'test', manifest, '--base', DEMO_MODEL], (error, stdout) => {
      const given = JSON.parse(stdout) as { checks?: Check[]; error?: { checks?: Check[]; message: string } };
      const { checks = [], message = '' } = given.error ?? (given as { checks: Check[] } & { message?: string });
      resolve({ code: error === null ? 0 : Number(error.code), checks, message });
    });
  });
}

async function manifestOf(command: readonly string[]): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(path, JSON.stringify({ name: 'mine', version: '1', command, architectures: ['qwen3'], pause: true }));
  return path;
}

const tried = async (...args: string[]) =>
  trainersTest(await manifestOf([process.execPath, SCRIPT, '--adapter', adapter, '--step-ms', '5', ...args]));

const failedOf = (checks: readonly Check[]): string[] => checks.filter(({ passed }) => !passed).map(({ check }) => check);

describe('trainers test', () => {
  it('passes a trainer that keeps the contract', async () => {
    const { code, checks } = await tried('--first-loss', loss);
    expect(failedOf(checks)).toEqual([]);
    expect(checks.map(({ check }) => check)).toEqual([
      ...['usable', 'architecture', 'ready', 'steps', 'first_loss', 'checkpoints', 'eval', 'events_only', 'saved', 'adapter'],
      ...['pause', 'resume', 'cancel'],
    ]);
    expect(code).toBe(0);
  });

  it.each([
    ['nan', ['steps'], 'not a number'],
    ['noise', ['events_only'], '3 lines'],
    ['crash', ['steps', 'saved'], 'SIGSEGV'],
    ['oom', ['steps', 'saved'], 'ran out of memory'],
    ['refuse', ['ready', 'steps', 'first_loss', 'checkpoints', 'eval', 'saved'], 'The base has no matrix "attn_x".'],
  ])('names what a trainer does wrong: %s', async (scene, failed, words) => {
    const { code, checks } = await tried('--first-loss', loss, '--scene', scene);
    expect(failedOf(checks)).toEqual(expect.arrayContaining(failed));
    expect(
      checks
        .filter(({ passed }) => !passed)
        .map(({ detail }) => detail)
        .join(' '),
    ).toContain(words);
    expect(code).toBe(1);
  });

  it('refuses what is saved and is no adapter', async () => {
    const { checks } = await trainersTest(await manifestOf([process.execPath, SCRIPT, '--first-loss', loss]));
    expect(failedOf(checks)).toEqual(['adapter']);
  });

  it('says at once that a program cannot be started', async () => {
    const { checks } = await trainersTest(await manifestOf([join(folder, 'missing.py')]));
    expect(checks).toEqual([{ check: 'usable', passed: false, detail: 'The program of the trainer mine is missing.' }]);
    const broken = await trainersTest(await manifestOf([process.execPath, '-e', 'throw new Error("no torch here")']));
    expect(failedOf(broken.checks)).toEqual(['ready', 'saved']);
    expect(broken.checks.at(-2)?.detail).toContain('no torch here');
  });

  it('says what is wrong with a manifest', async () => {
    const path = join(folder, 'manifest.json');
    await writeFile(path, '{"name": "mine"}');
    expect((await trainersTest(path)).message).toContain('at command');
    await writeFile(path, '{"name": ');
    expect((await trainersTest(path)).message).toContain('is not JSON');
    expect((await trainersTest(join(folder, 'none.json'))).message).toContain('cannot be read');
  });
});
