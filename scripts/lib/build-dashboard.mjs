import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock-file.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** The one app that runs in browsers: bundled, not compiled. */
export const DASHBOARD = 'apps/dashboard';

const filesIn = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.spec.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** Changes with every file that the bundler reads: its own, and those of the contracts, of which it takes the part for pages. */
function fingerprint(root) {
  const own = ['package.json', 'vite.config.ts', 'tsconfig.json', 'index.html'].map((file) => join(DASHBOARD, file));
  const files = [
    'package-lock.json',
    'tsconfig.base.json',
    ...own,
    ...filesIn(root, `${DASHBOARD}/src`),
    ...filesIn(root, `${DASHBOARD}/public`),
    ...filesIn(root, 'libs/contracts/src'),
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

const isThere = (root) => existsSync(join(root, DASHBOARD, 'dist/index.html'));

async function bundle(root) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  // Under another NODE_ENV, such as that of a test run, React would come with its checks for developers.
  const env = { ...process.env, NODE_ENV: 'production' };
  const result = await runCommand(process.execPath, [vite, 'build', '--logLevel', 'warn', DASHBOARD], { cwd: root, env });
  if (result.code !== 0) throw new StartError(`The dashboard could not be built:\n${lastLines(result, 30)}`);
}

function isWritable(root) {
  try {
    mkdirSync(join(root, '.cache'), { recursive: true });
    accessSync(join(root, '.cache'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds the dashboard, unless nothing changed since the last build. Dependencies must be installed.
 * @param {{ root: string, progress: import('./progress.mjs').Progress }} options
 * @throws {StartError} with the bundler's output when it does not build
 */
export async function ensureDashboardBuilt({ root, progress }) {
  const stamp = join(root, '.cache/dashboard.txt');
  const isFresh = () => isThere(root) && readStamp(stamp) === fingerprint(root);
  if (isFresh()) return;
  if (!isWritable(root)) {
    if (isThere(root)) return;
    throw new StartError(`The dashboard is to be built in ${root}, which this user cannot write.`);
  }
  await withLock(join(root, '.cache/dashboard.lock'), async () => {
    if (isFresh()) return;
    const print = fingerprint(root);
    await progress.step('Building the dashboard', () => bundle(root));
    writeFileSync(stamp, print);
  });
}
