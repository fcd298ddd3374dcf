// Tests the whole repository, from a bare clone on: brings what is missing, builds, checks, tests.
// `--all` adds the long suites, and `--part 2/3` takes the second of three parts of all tests that take about as long.
// Further arguments select tests, as in `npm test -- test/faults`; of the static checks types alone are then made.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './lib/build.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ensureNatsServer } from './lib/nats-server.mjs';
import { Progress } from './lib/progress.mjs';
import { endRunningCommands } from './lib/run-command.mjs';
import { StartError } from './lib/start-error.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2).filter((argument) => argument !== '--all');
const part = given.includes('--part') ? given.splice(given.indexOf('--part'), 2)[1] : null;
if (part !== null && !/^([1-9]\d*)\/([1-9]\d*)$/.test(part ?? '')) {
  console.error('--part takes a number of a part and of parts, such as 1/3.');
  process.exit(2);
}
const selection = given;
const projects = process.argv.includes('--all') ? [] : ['unit', 'integration', 'bounded'].flatMap((name) => ['--project', name]);
const shard = part === null ? [] : [`--shard=${part}`];
// Checks run one at a time behind the build and the tests, so that neither core waits. The first part checks for all.
const isChecked = selection.length === 0 && (part === null || part.startsWith('1/'));
const progress = new Progress();

const results = [];
const environment = { ...process.env };
// For the compiler alone, as in lint.mjs for the checks: nats-server is tested with its own defaults.
Object.assign(process.env, { GOGC: '800', GOMEMLIMIT: '4GiB' });
const running = new Set();

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.once(signal, () => {
    endRunningCommands();
    const left = new Set(running);
    if (left.size === 0) process.exit(code);
    for (const child of left) {
      child.once('exit', () => left.delete(child) && left.size === 0 && process.exit(code));
      child.kill(signal);
    }
  });
}

/**
 * Runs a script of ours or of node_modules with the terminal as its own; true when it succeeds.
 * @param {boolean} [behind] it and what it starts take what the tests leave of the cores
 */
function runScript(path, args, behind = false) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, path), ...args], { cwd: root, env: environment, stdio: 'inherit' });
    running.add(child);
    if (behind && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.once('error', () => resolve(false));
    child.once('exit', (code) => {
      running.delete(child);
      resolve(code === 0);
    });
  });
}

async function check() {
  const named = selection.length > 0 ? ['types'] : [];
  if (isChecked || named.length > 0) await stage('checks', () => runScript('scripts/lint.mjs', ['--lanes', '1', ...named], true));
}

/** Notes how a stage went. A stage that the next ones cannot do without throws. */
async function stage(name, work) {
  const startedAt = performance.now();
  const note = (ok) => results.push({ name, ok, seconds: (performance.now() - startedAt) / 1000 });
  try {
    note((await work()) !== false);
  } catch (error) {
    note(false);
    throw error;
  }
}

/** Waits for all, also when one fails, so that the summary is whole. @throws what the first failure threw */
async function together(stages) {
  const failed = (await Promise.allSettled(stages)).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** What the tests need besides node_modules: mostly waits for the network, so it is brought beside them. */
function bringPrograms() {
  return together([
    stage('nats-server', async () => {
      const { path } = await ensureNatsServer({ binDir: join(root, '.cache/bin'), progress });
      environment.NATS_SERVER_BIN = path;
    }),
    stage('chromium', async () => {
      environment.CHROMIUM_BIN = (await ensureChromium({ progress })) ?? '';
    }),
  ]);
}

async function build() {
  await ensureBuilt({ root, progress });
  // No part of the product, so a start does not build it; processes of tests import it.
  const { compileProjects } = await import('./lib/compile.mjs');
  compileProjects(root, ['libs/testing']);
}

async function installAndTest(programs) {
  await stage('dependencies', () => ensureInstalled({ root, dev: true, progress }));
  await together([check(), buildAndTest(programs)]);
}

async function buildAndTest(programs) {
  await together([stage('build', build), programs]);
  await stage('tests', () => runScript('node_modules/vitest/vitest.mjs', ['run', ...projects, ...shard, ...selection]));
}

function summarise() {
  const lines = results.map(
    ({ name, ok, seconds }) => `  ${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s`,
  );
  console.log(['', 'Summary', ...lines, ''].join('\n'));
}

try {
  const programs = bringPrograms();
  await together([programs, installAndTest(programs)]);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
} finally {
  summarise();
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
