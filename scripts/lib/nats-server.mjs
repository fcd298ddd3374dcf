import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall, downloadDebianPackage } from './debian-package.mjs';
import { runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

const OLDEST = [2, 9];

/** Debian puts servers into /usr/sbin, which is not on a normal user's PATH. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];

async function versionOf(path) {
  const { code, stdout, stderr } = await runCommand(path, ['--version']);
  const match = /v?(\d+)\.(\d+)\.(\d+)/.exec(stdout || stderr);
  return code === 0 && match ? match.slice(1, 4).map(Number) : null;
}

const isNewEnough = ([major, minor]) => major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);

async function usable(path) {
  if (!existsSync(path)) return null;
  const version = await versionOf(path);
  return version && isNewEnough(version) ? { path, version: version.join('.') } : null;
}

async function installed(env) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...FOLDERS];
  for (const folder of new Set(folders)) {
    const found = await usable(join(folder, 'nats-server'));
    if (found) return found;
  }
  return null;
}

const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** A binary that an earlier start brought; one that was changed since is not run. */
async function broughtEarlier(binDir) {
  const path = join(binDir, 'nats-server');
  try {
    const { sha256 } = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
    return digestOf(path) === sha256 ? await usable(path) : null;
  } catch {
    return null;
  }
}

async function bring(binDir, detail) {
  const work = join(binDir, `.nats-server-${process.pid}`);
  try {
    const extracted = await downloadDebianPackage('nats-server', work, detail);
    const path = join(binDir, 'nats-server');
    copyFileSync(join(extracted, 'usr/sbin/nats-server'), `${path}.${process.pid}`);
    chmodSync(`${path}.${process.pid}`, 0o755);
    renameSync(`${path}.${process.pid}`, path);
    writeFileSync(`${path}.json`, JSON.stringify({ sha256: digestOf(path) }));
    return await usable(path);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function obtain(binDir, detail) {
  mkdirSync(binDir, { recursive: true });
  let problem = '';
  try {
    const brought = await bring(binDir, detail);
    if (brought) return brought;
    problem = 'the package of this system is too old';
  } catch (error) {
    problem = error.message;
  }
  if (process.getuid?.() === 0 && (await aptInstall('nats-server', detail))) {
    const found = await installed(process.env);
    if (found) return found;
  }
  const how = process.platform === 'darwin' ? 'run "brew install nats-server"' : 'install it (Debian, Ubuntu: apt-get install nats-server)';
  throw new StartError(`nats-server ${OLDEST.join('.')} or newer is missing; ${how}, or name one with NATS_SERVER_BIN (${problem}).`);
}

/**
 * Finds nats-server, or brings it: NATS_SERVER_BIN, one brought earlier, the PATH and the usual
 * folders, the system's package without root, the system's package with root.
 * @param {{ binDir: string, env?: NodeJS.ProcessEnv, progress: import('./progress.mjs').Progress }} options
 *   binDir = where a brought binary is kept
 * @returns {Promise<{ path: string, version: string }>}
 * @throws {StartError} saying what to install
 */
export async function ensureNatsServer({ binDir, env = process.env, progress }) {
  if (env.NATS_SERVER_BIN) {
    const named = await usable(env.NATS_SERVER_BIN);
    if (!named) throw new StartError(`NATS_SERVER_BIN names no nats-server ${OLDEST.join('.')} or newer: ${env.NATS_SERVER_BIN}`);
    return named;
  }
  const here = (await broughtEarlier(binDir)) ?? (await installed(env));
  return here ?? (await progress.step('Fetching nats-server from the system’s package archive', (detail) => obtain(binDir, detail)));
}
