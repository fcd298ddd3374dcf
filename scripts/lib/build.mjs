import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock-file.mjs';
import { CONFIG, compiledProjects, leftOut, outputOf, SHARED, sourcesOf } from './projects.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** The app for browsers, which is bundled instead of compiled. */
const DASHBOARD = 'apps/dashboard';

/** What the outputs depend on besides their sources. */
const TOOLS = ['compile', 'link', 'projects'].map((name) => `scripts/lib/${name}.mjs`);

/** Changes with the size or time of any of the files. */
function fingerprint(root, files) {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', ...TOOLS, ...files]) {
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

/** Compiles apps and libraries, then links programs, in a process of its own, whose memory is free again when services start. */
async function compile(root) {
  const result = await runCommand(process.execPath, [join(root, 'scripts/compile.mjs')], { cwd: root });
  if (result.code !== 0) throw new StartError(`The build failed:\n${lastLines(result, 30)}`);
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

function inspect(root) {
  const projects = compiledProjects(root);
  const descriptions = projects.flatMap((project) => [`${project}/package.json`, `${project}/${CONFIG}`]);
  const sources = projects.flatMap((project) => sourcesOf(root, project));
  const all = [...sources, ...projects.flatMap((project) => leftOut(root, project))];
  const missing = [...all.map(outputOf), SHARED].filter((output) => !existsSync(join(root, output)));
  return { print: fingerprint(root, [...descriptions, ...all]), missing };
}

const filesIn = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.spec.'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

/** Changes with every file that the bundler reads: those of the dashboard, and of the contracts, of which it bundles a part. */
function dashboardFingerprint(root) {
  const own = ['package.json', 'vite.config.ts', 'tsconfig.json', 'index.html'].map((file) => join(DASHBOARD, file));
  const folders = [`${DASHBOARD}/src`, `${DASHBOARD}/public`, 'libs/contracts/src'];
  return fingerprint(root, [...own, ...folders.flatMap((folder) => filesIn(root, folder))]);
}

const isBundled = (root) => existsSync(join(root, DASHBOARD, 'dist/index.html'));

async function bundle(root) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  // Another NODE_ENV, such as that of a test run, would bundle React's development build.
  const env = { ...process.env, NODE_ENV: 'production' };
  const result = await runCommand(process.execPath, [vite, 'build', '--logLevel', 'warn', DASHBOARD], { cwd: root, env });
  if (result.code !== 0) throw new StartError(`The dashboard could not be built:\n${lastLines(result, 30)}`);
}

async function ensureBundled({ root, progress }) {
  const stamp = join(root, '.cache/dashboard.txt');
  const isFresh = () => isBundled(root) && readStamp(stamp) === dashboardFingerprint(root);
  if (isFresh()) return;
  if (!isWritable(root)) {
    if (isBundled(root)) return;
    throw new StartError(`The dashboard must be built in ${root}, which this user cannot write.`);
  }
  await withLock(join(root, '.cache/dashboard.lock'), async () => {
    if (isFresh()) return;
    const print = dashboardFingerprint(root);
    await progress.step('Building the dashboard', () => bundle(root));
    writeFileSync(stamp, print);
  });
}

/**
 * Builds the apps, the libraries and the dashboard, unless nothing changed since the last build. Types are not checked.
 * Dependencies must be installed.
 * @param {{ root: string, progress: import('./progress.mjs').Progress }} options
 * @throws {StartError} with what the compiler says of a source that it cannot read
 */
export async function ensureBuilt({ root, progress }) {
  await Promise.all([ensureCompiled({ root, progress }), ensureBundled({ root, progress })]);
}

async function ensureCompiled({ root, progress }) {
  const stamp = join(root, '.cache/build.txt');
  const isFresh = () => {
    const { print, missing } = inspect(root);
    return missing.length === 0 && readStamp(stamp) === print;
  };
  if (isFresh()) return;
  if (!isWritable(root)) {
    if (inspect(root).missing.length === 0) return;
    throw new StartError(`The programs must be built in ${root}, which this user cannot write.`);
  }
  await withLock(join(root, '.cache/build.lock'), async () => {
    if (isFresh()) return;
    const { print } = inspect(root);
    await progress.step('Building', () => compile(root));
    writeFileSync(stamp, print);
  });
}
