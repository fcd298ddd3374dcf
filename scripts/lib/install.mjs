import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { withLock } from './lock-file.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

const readJson = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
};

const matches = (allowed, actual) => !allowed || (allowed.includes(actual) && !allowed.includes(`!${actual}`));
const forThisMachine = (entry) => matches(entry.os, process.platform) && matches(entry.cpu, process.arch);
const isDevOnly = (entry) => entry.dev === true || entry.devOptional === true;

const sameAs = (wanted, found) => found !== undefined && wanted.version === found.version && wanted.resolved === found.resolved;

/**
 * Compares package-lock.json with npm's record of its last complete installation, which shows an interrupted or outdated one.
 * @param {string} root the repository
 * @param {{ dev: boolean, lenient: boolean }} wanted lenient = missing optional packages are accepted
 */
function isInstalled(root, { dev, lenient }) {
  const lock = readJson(join(root, 'package-lock.json'))?.packages;
  const installed = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (!lock) throw new StartError(`package-lock.json is missing in ${root}.`);
  if (!installed) return false;
  return Object.entries(lock).every(([path, entry]) => {
    if (path === '' || (!dev && isDevOnly(entry)) || !forThisMachine(entry)) return true;
    const found = installed[path];
    if (entry.optional && !found) return lenient || (!entry.os && !entry.cpu) || entry.libc !== undefined;
    return sameAs(entry, found) && (!entry.version || existsSync(join(root, path)));
  });
}

function hasDevDependencies(root) {
  const installed = readJson(join(root, 'node_modules/.package-lock.json'))?.packages ?? {};
  return Object.values(installed).some((entry) => entry.dev === true);
}

const lockDigest = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

/** Arguments that move npm's cache into the repository when the home folder is not writable. */
function cacheArguments(root) {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  try {
    mkdirSync(cache, { recursive: true });
    accessSync(cache, constants.W_OK);
    return [];
  } catch {
    return ['--cache', join(root, '.cache/npm')];
  }
}

/** The npm that started this process, else the one on the PATH. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli && basename(cli) === 'npm-cli.js' ? [process.execPath, cli] : ['npm'];
}

/**
 * Runs `npm install` with the lock file. `npm ci` fails when a registry lacks a development tool's build for another platform, and
 * deletes node_modules while processes run from it.
 */
async function install(root, dev) {
  const [command, ...first] = npmCommand();
  const args = [
    ...first,
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...cacheArguments(root),
  ];
  const result = await runCommand(command, dev ? [...args, '--include=dev'] : [...args, '--omit=dev'], { cwd: root });
  if (result.code === 0) return;
  if (result.code === 127) throw new StartError('npm is not on the PATH; it comes with Node.js (https://nodejs.org).');
  throw new StartError(`The dependencies could not be installed in ${root}:\n${lastLines(result)}`);
}

function checkWritable(root) {
  try {
    mkdirSync(join(root, '.cache'), { recursive: true });
    accessSync(root, constants.W_OK);
  } catch {
    throw new StartError(`Dependencies must be installed in ${root}, which this user cannot write.`);
  }
}

/**
 * Installs the dependencies of package-lock.json unless they are complete. Installed development dependencies are kept.
 * @param {{ root: string, dev?: boolean, progress: import('./progress.mjs').Progress }} options
 *   dev = also install development dependencies (tests, lint)
 * @throws {StartError} with npm's last lines of output when the installation fails
 */
export async function ensureInstalled({ root, dev = false, progress }) {
  const stamp = join(root, '.cache/install.json');
  const ready = () => isInstalled(root, { dev, lenient: readJson(stamp)?.lock === lockDigest(root) });
  if (ready()) return;
  checkWritable(root);
  await withLock(join(root, '.cache/install.lock'), async () => {
    if (ready()) return;
    await progress.step('Installing dependencies', () => install(root, dev || hasDevDependencies(root)));
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, JSON.stringify({ lock: lockDigest(root) }));
  });
}
