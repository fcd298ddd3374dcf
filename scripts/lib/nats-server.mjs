import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { downloadDebianPackage, downloadFromDebian } from './debian-package.mjs';
import { runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** The least supported version of nats-server. The services read the same file. */
export const { least: LEAST_NATS_SERVER } = JSON.parse(
  readFileSync(new URL('../../libs/platform/nats-server.json', import.meta.url), 'utf8'),
);

/** Debian installs servers to /usr/sbin, which is not on a normal user's PATH. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];
/**
 * Releases of Debian to download from, newest first. Testing gets fixes first, but may need a newer C library than this system has; the
 * stable release needs glibc 2.34, as in Debian 12 and Ubuntu 22.04.
 */
const RELEASES = ['forky', 'trixie'];

async function versionOf(path) {
  const { code, stdout, stderr } = await runCommand(path, ['--version']);
  return (code === 0 && /v?(\d+\.\d+\.\d+)/.exec(stdout || stderr)?.[1]) || null;
}

function isNewEnough(version) {
  const wanted = LEAST_NATS_SERVER.split('.').map(Number);
  const given = version.split('.').map(Number);
  const different = wanted.findIndex((number, i) => number !== given[i]);
  return different === -1 || given[different] > wanted[different];
}

/** The binary and its version; null when it does not exist, does not run or is too old, which `tooOld` is called for. */
async function usable(path, tooOld = () => {}) {
  const version = existsSync(path) ? await versionOf(path) : null;
  if (version === null) return null;
  if (isNewEnough(version)) return { path, version };
  tooOld({ path, version });
  return null;
}

async function installed(folders, tooOld) {
  for (const folder of new Set(folders)) {
    const found = await usable(join(folder, 'nats-server'), tooOld);
    if (found) return found;
  }
  return null;
}

const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** The binary that an earlier start downloaded; null if it was changed since or is too old. */
async function downloadedEarlier(binDir) {
  const path = join(binDir, 'nats-server');
  try {
    const { sha256 } = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
    return digestOf(path) === sha256 ? await usable(path) : null;
  } catch {
    return null;
  }
}

/** Replaces the kept binary atomically. */
function keep(binary, binDir, version) {
  const path = join(binDir, 'nats-server');
  const draft = `${path}.${process.pid}`;
  copyFileSync(binary, draft);
  chmodSync(draft, 0o755);
  writeFileSync(`${draft}.json`, JSON.stringify({ version, sha256: digestOf(draft) }));
  renameSync(draft, path);
  renameSync(`${draft}.json`, `${path}.json`);
  return { path, version };
}

async function fetchOne(binDir, download) {
  const work = join(binDir, `.nats-server-${process.pid}`);
  let rejected = null;
  try {
    const binary = join(await download(work), 'usr/sbin/nats-server');
    const found = await usable(binary, (old) => (rejected = old));
    if (found) return keep(binary, binDir, found.version);
    throw new Error(rejected ? `the package has version ${rejected.version}` : 'the package’s nats-server does not run on this system');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function obtain(binDir, detail) {
  mkdirSync(binDir, { recursive: true });
  const problems = [];
  const sources = [
    ...RELEASES.map((release) => [`Debian ${release}`, (folder) => downloadFromDebian({ name: 'nats-server', release, folder, detail })]),
    ['this system', (folder) => downloadDebianPackage('nats-server', folder, detail)],
  ];
  for (const [source, download] of sources) {
    try {
      return await fetchOne(binDir, download);
    } catch (error) {
      problems.push(`${source}: ${error.message}`);
    }
  }
  const how = process.platform === 'darwin' ? 'run "brew install nats-server"' : 'install it from nats.io';
  throw new StartError(
    `nats-server ${LEAST_NATS_SERVER} or newer is missing; ${how}, or name one with NATS_SERVER_BIN.\n  ${problems.join('\n  ')}`,
  );
}

/**
 * Finds nats-server or downloads it, in this order: NATS_SERVER_BIN, an earlier download, the PATH and the usual folders, the packages of
 * newer Debian releases, the system's package. Needs no root, and no network after the download. Versions below
 * `LEAST_NATS_SERVER` are not used.
 * @param {{ binDir: string, env?: NodeJS.ProcessEnv, progress: import('./progress.mjs').Progress, folders?: string[] }} options
 *   binDir = folder of a downloaded binary; folders = searched after the PATH
 * @returns {Promise<{ path: string, version: string }>}
 * @throws {StartError} that says what to install
 */
export async function ensureNatsServer({ binDir, env = process.env, progress, folders = FOLDERS }) {
  if (env.NATS_SERVER_BIN) {
    const named = await usable(env.NATS_SERVER_BIN);
    if (!named) throw new StartError(`NATS_SERVER_BIN names no nats-server ${LEAST_NATS_SERVER} or newer: ${env.NATS_SERVER_BIN}`);
    return named;
  }
  const downloaded = await downloadedEarlier(binDir);
  if (downloaded) return downloaded;
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const tooOld = ({ path, version }) => progress.note(`Not used: ${path} is ${version}; Slipway needs ${LEAST_NATS_SERVER} or newer.`);
  const here = await installed([...onPath, ...folders], tooOld);
  return here ?? (await progress.step('Fetching nats-server from Debian’s package archive', (detail) => obtain(binDir, detail)));
}
