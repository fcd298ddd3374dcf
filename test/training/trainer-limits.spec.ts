import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProgramProcess, type TrainerCommand } from '../../apps/training-worker/src/trainers/program-process.js';
import type { TrainerEnd } from '../../apps/training-worker/src/trainers/trainer.js';
import { processMemory } from '@slipway/platform';
import { until } from '../testing/until.js';

const MIB = 2 ** 20;
/** A user that owns nothing. */
const UID = 61_750;
const STARTER = fileURLToPath(new URL('../../apps/training-worker/dist/trainers/trainer-start.js', import.meta.url));
const isRoot = process.getuid?.() === 0;

let outer: string;
let folder: string;
let running: ProgramProcess | undefined;

beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'slipway-limits-'));
  folder = mkdtempSync(join(tmpdir(), 'slipway-limits-run-'));
});
afterEach(async () => {
  running?.kill();
  await running?.ended;
  for (const each of [outer, folder]) rmSync(each, { recursive: true, force: true });
});

/** Runs a text as the program of a trainer, and gives what it printed. */
async function run(text: string, more: Partial<TrainerCommand> = {}): Promise<{ end: TrainerEnd; lines: string[] }> {
  const lines: string[] = [];
  const command = { program: process.execPath, args: ['-e', text], folder, ...more };
  running = new ProgramProcess(command, { event: () => undefined, log: (line) => lines.push(line) });
  return { end: await running.ended, lines };
}

/** Tries each, and prints its outcome. */
const tried = (...attempts: string[]): string =>
  attempts.map((each) => `try { ${each}; console.log('done'); } catch (error) { console.log(error.code); }`).join('\n');

describe('the bounds of a trainer', () => {
  it('end one that takes more memory than it may', async () => {
    const eat = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(8 * 2 ** 20, 1)), 5)';
    const { end, lines } = await run(eat, { limits: { memory: 200 * MIB } });
    expect(end).toMatchObject({ kind: 'failed', fault: { code: 'out_of_memory' } });
    expect(lines).toContain('The trainer took more memory than trainings may take here.');
  });

  it('count what its children take', async () => {
    const eat = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(8 * 2 ** 20, 1)), 5)';
    const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(eat)}]); setInterval(() => {}, 1000)`;
    expect((await run(parent, { limits: { memory: 300 * MIB } })).end).toMatchObject({ fault: { code: 'out_of_memory' } });
  });

  it('stop one that takes it faster than the worker looks', async () => {
    const { end } = await run('Buffer.alloc(3.5 * 2 ** 30)', { limits: { memory: 200 * MIB } });
    expect(end).toMatchObject({ kind: 'failed', fault: { code: 'out_of_memory' } });
  });

  it('let it have what it may', async () => {
    const text = `const kept = Buffer.alloc(150 * 2 ** 20, 1);
      require('node:fs').writeFileSync('out.gguf', 'x');
      require('node:fs').writeSync(3, JSON.stringify({ ev: 'saved', path: 'out.gguf' }) + String.fromCharCode(10));
      setTimeout(() => process.exit(kept.length > 0 ? 0 : 1), 600)`;
    expect((await run(text, { limits: { memory: 400 * MIB } })).end).toMatchObject({ kind: 'saved' });
  });

  it('hold for the size of files and their number', async () => {
    const fs = `require('node:fs')`;
    const many = `for (let i = 0; i < 5000; i += 1) ${fs}.openSync('/dev/null')`;
    const { lines } = await run(tried(`${fs}.writeFileSync('large', Buffer.alloc(3 * 2 ** 20))`, many), { limits: { fileBytes: MIB } });
    expect(lines).toEqual(['EFBIG', 'EMFILE']);
    expect(statSync(join(folder, 'large')).size).toBe(MIB);
  });

  it.each(['out', 'out/adapter.gguf'])('take no link for a result (%s)', async (link) => {
    writeFileSync(join(outer, 'adapter.gguf'), 'a key');
    if (link === 'out') symlinkSync(outer, join(folder, 'out'));
    else {
      mkdirSync(join(folder, 'out'));
      symlinkSync(join(outer, 'adapter.gguf'), join(folder, link));
    }
    const report = `require('node:fs').writeSync(3, JSON.stringify({ ev: 'saved', path: 'out/adapter.gguf' }) + String.fromCharCode(10))`;
    const { end } = await run(`${report}; setTimeout(() => {}, 5000)`);
    expect(end).toMatchObject({ kind: 'failed', fault: { code: 'trainer_failed' } });
  });

  it('leave it no variable of its worker but paths', async () => {
    process.env.SLIPWAY_SECRET_KEY = 'a secret';
    const { lines } = await run('console.log(JSON.stringify(process.env))');
    delete process.env.SLIPWAY_SECRET_KEY;
    expect(lines.join('')).toContain('PATH');
    expect(lines.join('')).not.toContain('a secret');
  });
});

describe.runIf(isRoot)('a trainer of a worker that is root', () => {
  it('runs as a user of its own without a right', async () => {
    const status = `console.log(require('node:fs').readFileSync('/proc/self/status', 'utf8'))`;
    const { lines } = await run(status, { uid: UID });
    const text = lines.join('\n');
    expect(text).toMatch(new RegExp(`^Uid:\\s+${UID}\\s+${UID}\\s+${UID}\\s+${UID}$`, 'm'));
    expect(text).toMatch(/^CapEff:\s+0+$/m);
    expect(text).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(text).toMatch(/^Groups:\s*$/m);
  });

  it('reads neither the variables nor the keys of its worker', async () => {
    const key = join(outer, 'worker.key');
    writeFileSync(key, 'a key', { mode: 0o600 });
    const read = (path: string): string => `require('node:fs').readFileSync(${JSON.stringify(path)})`;
    const { lines } = await run(tried(read(`/proc/${process.pid}/environ`), read(key), read('/etc/shadow')), { uid: UID });
    expect(lines).toEqual(['EACCES', 'EACCES', 'EACCES']);
  });

  it('writes into its folder alone', async () => {
    const write = (path: string): string => `require('node:fs').writeFileSync(${JSON.stringify(path)}, 'x')`;
    writeFileSync(join(folder, 'train.jsonl'), 'mine');
    const attempts = [write(join(outer, 'x')), write('/etc/slipway-trainer'), write('out'), write('train.jsonl')];
    const { lines } = await run(tried(...attempts), { uid: UID });
    expect(lines).toEqual(['EACCES', 'EACCES', 'done', 'done']);
    expect(statSync(join(folder, 'out')).uid).toBe(UID);
    expect(readFileSync(join(folder, 'train.jsonl'), 'utf8')).toBe('x');
  });

  it.each(['first', 'second'])('gets its folder in a container of few capabilities, the %s time', (time) => {
    if (time === 'second') chownSync(folder, UID, UID);
    writeFileSync(join(folder, 'train.jsonl'), 'mine');
    const script = `import(${JSON.stringify(STARTER)}).then(({ userFor }) => console.log(userFor(${UID}, { folder: ${JSON.stringify(folder)}, reads: [] })))`;
    const bounded = 'exec setpriv --bounding-set -all,+chown,+dac_override,+kill,+setgid,+setuid "$@"';
    const printed = execFileSync('/bin/sh', ['-c', bounded, 'sh', process.execPath, '-e', script], { encoding: 'utf8' });
    const { uid, mode } = statSync(folder);
    expect([printed.trim(), uid, mode & 0o7777]).toEqual([String(UID), UID, 0o700]);
    expect(statSync(join(folder, 'train.jsonl')).uid).toBe(UID);
  });

  it('runs as its worker where that user reaches too little', async () => {
    const hidden = join(outer, 'base.gguf');
    writeFileSync(hidden, 'weights');
    const { lines } = await run('console.log(process.getuid())', { uid: UID, reads: [hidden] });
    expect(lines).toEqual([expect.stringContaining(`the user ${UID} does not reach`), '0']);
    expect(statSync(folder).uid).toBe(0);
  });
});

it('memory of a process is known to its parent', async () => {
  void run('const kept = Buffer.alloc(100 * 2 ** 20, 1); setInterval(() => kept.length, 1000)');
  await until('the trainer has its memory', () => processMemory(running!.pid) > 100 * MIB);
  expect(processMemory(running!.pid)).toBeLessThan(400 * MIB);
});
