// npm run bench. Installs what is missing, builds, and runs bench/src.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ensureNatsServer } from './lib/nats-server.mjs';
import { ensureNginx } from './lib/nginx.mjs';
import { freePort } from './lib/ports.mjs';
import { Progress } from './lib/progress.mjs';
import { StartError } from './lib/start-error.mjs';

/** What is no load, by its argument: `npm run bench -- keys`. */
const ALONE = { keys: benchKeys, 'rest-bundled': benchRest, 'bodies-check': benchBodies, tuning: benchTuning, report: benchReport };

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const progress = new Progress();

async function buildBench() {
  const { compileProjects } = await import('./lib/compile.mjs');
  // The apps do not depend on libs/testing, which the measurement of many keys uses for its database.
  compileProjects(root, ['libs/testing', 'bench']);
}

async function prepare() {
  if (process.platform !== 'linux') throw new StartError('The benchmark reads processor time from /proc, which only Linux has.');
  // The measurement of many keys needs development dependencies.
  await ensureInstalled({ root, dev: true, progress });
  await ensureBuilt({ root, progress });
  await progress.step('Building the benchmark', buildBench);
  const binDir = join(root, '.cache/bin');
  const { path: natsServer } = await ensureNatsServer({ binDir, progress });
  return { binDir, natsServer };
}

async function benchKeys() {
  const { runKeysBench } = await import(pathToFileURL(join(root, 'bench/dist/keys-bench.js')).href);
  return runKeysBench({ root, path: process.env.PATH });
}

async function benchBodies() {
  const { runBodiesBench } = await import(pathToFileURL(join(root, 'bench/dist/bodies-bench.js')).href);
  return runBodiesBench(root, process.argv[3]);
}

async function benchTuning() {
  const { runTuningBench } = await import(pathToFileURL(join(root, 'bench/dist/tuning-bench.js')).href);
  return runTuningBench({ root, path: process.env.PATH, trainers: join(root, '.cache/trainers') });
}

async function benchRest({ natsServer }) {
  const { runRestBench } = await import(pathToFileURL(join(root, 'bench/dist/rest-bench.js')).href);
  return runRestBench({ root, freePort, environment: { ...process.env, NATS_SERVER_BIN: natsServer } });
}

async function benchReport() {
  const { runReport } = await import(pathToFileURL(join(root, 'bench/dist/report.js')).href);
  return runReport(process.argv[3]);
}

async function benchLoads({ binDir, natsServer }) {
  const nginx = await ensureNginx({ binDir, progress });
  const environment = { ...process.env, NATS_SERVER_BIN: natsServer };
  const { runBench } = await import(pathToFileURL(join(root, 'bench/dist/bench.js')).href);
  return runBench({ root, nginx, freePort, argv: process.argv.slice(2), environment });
}

try {
  const stage = await prepare();
  process.exitCode = await (ALONE[process.argv[2]] ?? benchLoads)(stage);
} catch (error) {
  progress.note(error instanceof StartError ? `✗ ${error.message}` : `✗ ${error?.stack ?? error}`);
  process.exitCode = 1;
}
process.exit();
