import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { endLeftovers } from './leftovers.mjs';
import { releaseLock, takeLock } from './lock-file.mjs';
import { USAGE, UsageError, readOptions } from './options.mjs';
import { openDataDir, preflight } from './preflight.mjs';
import { Progress } from './progress.mjs';
import { endRunningCommands } from './run-command.mjs';
import { StartError } from './start-error.mjs';

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Until the second stage handles signals, a signal ends the running commands and this process. */
function endOnSignals(lock) {
  const listeners = Object.entries(SIGNALS).map(([signal, code]) => [
    signal,
    () => {
      endRunningCommands();
      releaseLock(lock);
      process.exit(code);
    },
  ]);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

const localUrl = (env, port) => {
  const host = env.HOST || '127.0.0.1';
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
};

async function secondStage(root, options, env, progress) {
  const { launch } = await import(pathToFileURL(join(root, 'apps/launcher/dist/main.js')).href);
  return launch({ root, options, environment: env, progress, localUrl: localUrl(env, options.port) });
}

async function firstStage(root, options, env, { progress, runFolder }) {
  const left = await endLeftovers(runFolder);
  if (left.length > 0) progress.note(`Ended processes of an earlier start: ${left.join(', ')}.`);
  await preflight(root, options, env, progress);
  await ensureInstalled({ root, progress });
  await ensureBuilt({ root, progress });
}

async function start(root, options, env, progress) {
  openDataDir(options.dataDir);
  const runFolder = join(options.dataDir, 'run');
  mkdirSync(runFolder, { recursive: true, mode: 0o700 });
  const lock = join(runFolder, 'launcher.lock');
  const owner = takeLock(lock, { url: env.PUBLIC_BASE_URL || localUrl(env, options.port) });
  if (owner) throw new StartError(`Slipway is already running on ${options.dataDir}: pid ${owner.pid}, at ${owner.url}.`);
  const removeListeners = endOnSignals(lock);
  try {
    await firstStage(root, options, env, { progress, runFolder });
    removeListeners();
    return await secondStage(root, options, env, progress);
  } finally {
    releaseLock(lock);
  }
}

/**
 * Runs the launcher to its end.
 * @param {string} root the repository
 * @param {string[]} argv
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} exit code
 */
export async function runLauncher(root, argv, env) {
  // The reader of the output may close it; the services keep running.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const progress = new Progress();
  try {
    const options = readOptions(argv, env, root);
    if (!options.help) return await start(root, options, env, progress);
    process.stdout.write(USAGE);
    return 0;
  } catch (error) {
    const because = error?.cause instanceof Error ? `\nCaused by: ${error.cause.message}` : '';
    progress.note(error instanceof StartError ? `✗ ${error.message}` : `✗ The launcher failed: ${error?.stack ?? error}${because}`);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    endRunningCommands();
  }
}
