// Tests the whole repository, from a bare clone on: brings what is missing, builds, checks, tests.
// `--all` adds the long suites. Further arguments select tests, as in `npm test -- test/faults`;
// the static checks are then left out.
import { spawn } from 'node:child_process';
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
const selection = process.argv.slice(2).filter((argument) => argument !== '--all');
const projects = process.argv.includes('--all') ? [] : ['unit', 'integration', 'bounded'].flatMap((name) => ['--project', name]);
const progress = new Progress();

const results = [];
const environment = { ...process.env };
let running = null;

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.once(signal, () => {
    endRunningCommands();
    if (!running) process.exit(code);
    running.once('exit', () => process.exit(code));
    running.kill(signal);
  });
}

/** Runs a script of ours or of node_modules with the terminal as its own; true when it succeeds. */
function runScript(path, args) {
  return new Promise((resolve) => {
    running = spawn(process.execPath, [join(root, path), ...args], { cwd: root, env: environment, stdio: 'inherit' });
    running.once('error', () => resolve(false));
    running.once('exit', (code) => {
      running = null;
      resolve(code === 0);
    });
  });
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

async function prepare() {
  await stage('dependencies', () => ensureInstalled({ root, dev: true, progress }));
  await stage('build', () => ensureBuilt({ root, progress }));
  await stage('nats-server', async () => {
    const { path } = await ensureNatsServer({ binDir: join(root, '.cache/bin'), progress });
    environment.NATS_SERVER_BIN = path;
  });
  await stage('chromium', async () => {
    environment.CHROMIUM_BIN = (await ensureChromium({ progress })) ?? '';
  });
}

function summarise() {
  const lines = results.map(
    ({ name, ok, seconds }) => `  ${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s`,
  );
  console.log(['', 'Summary', ...lines, ''].join('\n'));
}

try {
  await prepare();
  if (selection.length === 0) await stage('lint', () => runScript('scripts/lint.mjs', []));
  await stage('tests', () => runScript('node_modules/vitest/vitest.mjs', ['run', ...projects, ...selection]));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
} finally {
  summarise();
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
