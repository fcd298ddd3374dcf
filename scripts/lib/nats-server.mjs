import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { downloadDebianPackage, downloadFromDebian } from './debian-package.mjs';
import { runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** The oldest nats-server that Slipway runs with. The same file tells the services. */
export const { least: LEAST_NATS_SERVER } = JSON.parse(
  readFileSync(new URL('../../libs/platform/nats-server.json', import.meta.url), 'utf8'),
);

/** Debian puts servers into /usr/sbin, which is not on a normal user's PATH. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];
/**
 * Releases of Debian to take it from, the newest first: testing gets fixes first; what it has may want a newer C
 * library than this system's, which the stable release does not (glibc 2.34, as in Debian 12 and Ubuntu 22.04).
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

/** The binary there and its version; null when there is none, it does not run or `tooOld` heard of it. */
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

/** A binary that an earlier start brought. One that was changed since, or is too old by now, is replaced. */
async function broughtEarlier(binDir) {
  const path = join(binDir, 'nats-server');
  try {
    const { sha256 } = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
    return digestOf(path) === sha256 ? await usable(path) : null;
  } catch {
    return null;
  }
}

/** Puts a binary in the place of the one that is there, whole or not at all. */
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

async function bring(binDir, download) {
  const work = join(binDir, `.nats-server-${process.pid}`);
  let refused = null;
  try {
    const binary = join(await download(work), 'usr/sbin/nats-server');
    const found = await usable(binary, (old) => (refused = old));
    if (found) return keep(binary, binDir, found.version);
    throw new Error(refused ? `the package holds ${refused.version}` : 'the package’s nats-server does not run here');
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
      return await bring(binDir, download);
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
 * Finds nats-server, or brings it: NATS_SERVER_BIN, one brought earlier, the PATH and the usual folders, the
 * packages of newer Debian releases, the system's own package. Needs no root, and no network once it was brought.
 * What is older than `LEAST_NATS_SERVER` is not used.
 * @param {{ binDir: string, env?: NodeJS.ProcessEnv, progress: import('./progress.mjs').Progress, folders?: string[] }} options
 *   binDir = where a brought binary is kept; folders = the usual ones, searched after the PATH
 * @returns {Promise<{ path: string, version: string }>}
 * @throws {StartError} saying what to install
 */
export async function ensureNatsServer({ binDir, env = process.env, progress, folders = FOLDERS }) {
  if (env.NATS_SERVER_BIN) {
    const named = await usable(env.NATS_SERVER_BIN);
    if (!named) throw new StartError(`NATS_SERVER_BIN names no nats-server ${LEAST_NATS_SERVER} or newer: ${env.NATS_SERVER_BIN}`);
    return named;
  }
  const brought = await broughtEarlier(binDir);
  if (brought) return brought;
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const tooOld = ({ path, version }) => progress.note(`Not used: ${path} is ${version}; Slipway needs ${LEAST_NATS_SERVER} or newer.`);
  const here = await installed([...onPath, ...folders], tooOld);
  return here ?? (await progress.step('Fetching nats-server from Debian’s package archive', (detail) => obtain(binDir, detail)));
}
