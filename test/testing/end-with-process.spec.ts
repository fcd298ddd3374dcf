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

/** Shares a PostgreSQL as a run of tests does, names it, and is killed before it can end it. */
const KILLED = `
  import { sharePostgres } from '@slipway/testing';
  await sharePostgres();
  const { pid } = JSON.parse(process.env.SLIPWAY_TEST_POSTGRES);
  process.stdout.write(String(pid), () => process.kill(process.pid, 'SIGKILL'));
`;

it('a forgotten child ends with its test process', async () => {
  const { stdout: pid } = await run(process.execPath, ['--input-type=module', '-e', FORGETFUL], { cwd: REPOSITORY });
  expect(Number(pid)).toBeGreaterThan(1);
  await until('it has ended', () => !isAlive(Number(pid)));
});

it('a child without its server ends with the test', async () => {
  const { stdout: pid } = await run(process.execPath, ['--input-type=module', '-e', CUT_OFF], { cwd: REPOSITORY });
  expect(Number(pid)).toBeGreaterThan(1);
  await until('it has ended', () => !isAlive(Number(pid)));
});

it('the shared PostgreSQL ends with a killed run', async () => {
  const killed = await run(process.execPath, ['--input-type=module', '-e', KILLED], { cwd: REPOSITORY }).catch((error: unknown) => error);
  const pid = Number((killed as { stdout: string }).stdout);
  expect(pid).toBeGreaterThan(1);
  await until('it has ended', () => !isAlive(pid));
});
