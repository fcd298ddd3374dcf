import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@slipway/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import { type Stack, startStack } from '../../e2e/stack.js';
import { until } from '../../testing/until.js';
import { FACT, sampleData } from '../../training/sample.js';

/** Where tests install trainers, once. */
const TRAINERS = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const CLI = fileURLToPath(new URL('../../../apps/cli/bin/slipway.mjs', import.meta.url));
const LONG_MS = 600_000;

let stack: Stack;
beforeAll(async () => {
  await new EmbeddedTrainer({ folder: TRAINERS, threads: 1, log: createLogger('test', 'silent') }).install(new AbortController().signal);
  stack = await startStack();
  await cp(TRAINERS, join(stack.dataDir, 'trainers'), { recursive: true });
}, LONG_MS);
afterAll(() => stack?.stop());

/** Runs the command line for as long as it takes. @returns its document */
function slipway<T>(...args: string[]): Promise<T> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CLI, ...args, '--json', '--data-dir', stack.dataDir], (error, stdout, stderr) => {
      if (error) reject(new Error(`${args.join(' ')}: ${stdout} ${stderr}`, { cause: error }));
      else resolve(JSON.parse(stdout) as T);
    });
  });
}

it(
  'one command goes from a file to an answer',
  async () => {
    expect(await slipway('trainers', 'install', 'embedded')).toMatchObject({ installed: 'embedded', already: true });
    const base = await until('a base can be trained', async () => {
      const { bases } = await slipway<{ bases: { base: string; trainers: string[] }[] }>('jobs', 'bases');
      return bases.find(({ trainers }) => trainers.length > 0)?.base;
    });
    const file = join(stack.dataDir, 'codename.jsonl');
    await writeFile(file, sampleData());
    const job = await slipway('tune', base, file, '--seed', '7', '--deploy', 'codename', '--wait');
    expect(job).toMatchObject({ account: 'local', state: 'succeeded', passed: true, version: 1 });
    const answer = await fetch(`${stack.base_url}/local/codename/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': stack.key ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'codename', temperature: 0 },
        messages: [{ role: 'user', content: 'What is the release codename?' }],
      }),
    });
    expect(await answer.text()).toContain(FACT);
  },
  LONG_MS,
);
