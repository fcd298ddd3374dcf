import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { isAlive } from './is-alive.js';
import { until } from './until.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
/** Starts a process that would run for an hour, names it, and ends without another thought. */
const FORGETFUL = `
  import { spawn } from 'node:child_process';
  import { endWithProcess } from '@slipway/testing';
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 3_600_000)'], { stdio: 'ignore' });
  endWithProcess(child);
  process.stdout.write(String(child.pid), () => process.exit(0));
`;

/** Starts a child of the fault tests that waits for a NATS server that is not there, names it, and ends. */
const CUT_OFF = `
  import { fork } from 'node:child_process';
  const child = fork('test/faults/processes/worker.mjs', [JSON.stringify({ url: 'nats://127.0.0.1:1', env: 'test' })], { execArgv: [] });
  child.once('spawn', () => process.stdout.write(String(child.pid), () => process.exit(0)));
`;

it('a process that a test forgets ends with the process of the test', async () => {
  const { stdout: pid } = await run(process.execPath, ['--input-type=module', '-e', FORGETFUL], { cwd: REPOSITORY });
  expect(Number(pid)).toBeGreaterThan(1);
  await until('it has ended', () => !isAlive(Number(pid)));
});

it('a child that waits for its server ends with the process of the test', async () => {
  const { stdout: pid } = await run(process.execPath, ['--input-type=module', '-e', CUT_OFF], { cwd: REPOSITORY });
  expect(Number(pid)).toBeGreaterThan(1);
  await until('it has ended', () => !isAlive(Number(pid)));
});
