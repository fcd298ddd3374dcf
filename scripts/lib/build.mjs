import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock-file.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** The app for browsers, which is bundled instead of compiled. */
const DASHBOARD = 'apps/dashboard';

/** Of each project that is compiled: the linter and editors find the one of the root instead. */
const CONFIG = 'tsconfig.build.json';
/** What linked programs share. */
const SHARED = 'libs/platform/dist/linked';

const projectsIn = (root, folder) =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((project) => existsSync(join(root, project, CONFIG)))
    .sort();

// Specs and their samples run from source and have no output.
const isSource = (file) => /\.(ts|json)$/.test(file) && !/\.(spec|samples|fixture)\.ts$/.test(file);

function filesOf(root, project) {
  const sources = readdirSync(join(root, project, 'src'), { recursive: true })
    .map(String)
    .filter(isSource)
    .sort()
    .map((file) => `src/${file}`);
  return ['package.json', CONFIG, ...sources].map((file) => `${project}/${file}`);
}

/** Changes with the size or time of any of the files. */
function fingerprint(root, files) {
  const hash = createHash('sha256');
  for (const file of ['tsconfig.base.json', 'package-lock.json', 'scripts/lib/link.mjs', ...files]) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

const isCompiled = (file) => file.endsWith('.ts') && !file.endsWith('.d.ts');
const outputOf = (source) => source.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
const withoutOutput = (root, files) => files.filter((file) => isCompiled(file) && !existsSync(join(root, outputOf(file))));

function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

// As many at once as cores in the smallest machines. Several checkers of one project would each check what they share.
const PARALLEL = ['--builders', '2', '--checkers', '1'];

/** Compiles apps and libraries, then links programs. tsc does not notice deleted outputs; then `flags` must contain --force. */
async function compile(root, projects, flags) {
  for (const [script, ...args] of [
    ['node_modules/typescript-7/bin/tsc', '-b', ...PARALLEL, ...projects.map((project) => `${project}/${CONFIG}`), ...flags],
    ['scripts/link.mjs'],
  ]) {
    const result = await runCommand(process.execPath, [join(root, script), ...args], { cwd: root });
    if (result.code !== 0) throw new StartError(`The build failed:\n${lastLines(result, 30)}`);
  }
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

function inspect(root, projects) {
  const files = projects.flatMap((project) => filesOf(root, project));
  const shared = existsSync(join(root, SHARED)) ? [] : [SHARED];
  return { print: fingerprint(root, files), missing: [...withoutOutput(root, files), ...shared] };
}

async function build(root, { projects, stamp, flags, progress }) {
  const { print, missing } = inspect(root, projects);
  const again = missing.length > 0 && readStamp(stamp) === print;
  await progress.step('Building', () => compile(root, projects, again ? [...flags, '--force'] : flags));
  if (inspect(root, projects).missing.length > 0) {
    await progress.step('Building everything again', () => compile(root, projects, [...flags, '--force']));
    const [left] = inspect(root, projects).missing;
    if (left) throw new StartError(`The build produced no output for ${left}.`);
  }
  writeFileSync(stamp, print);
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
 * Builds the apps, the libraries and the dashboard, unless nothing changed since the last build.
 * Dependencies must be installed.
 * @param {{ root: string, check?: boolean, progress: import('./progress.mjs').Progress }} options
 *   check = false skips the type check, which halves the time and does not change the output
 * @throws {StartError} with the compiler's output when the sources do not compile
 */
export async function ensureBuilt({ root, check = true, progress }) {
  await Promise.all([ensureCompiled({ root, check, progress }), ensureBundled({ root, progress })]);
}

async function ensureCompiled({ root, check, progress }) {
  // libs/testing needs development dependencies and is not part of the product. A library may have no app yet.
  const projects = [...projectsIn(root, 'apps'), ...projectsIn(root, 'libs').filter((library) => library !== 'libs/testing')];
  const stamp = join(root, '.cache/build.txt');
  const isFresh = () => {
    const { print, missing } = inspect(root, projects);
    return missing.length === 0 && readStamp(stamp) === print;
  };
  if (isFresh()) return;
  if (!isWritable(root)) {
    if (inspect(root, projects).missing.length === 0) return;
    throw new StartError(`The programs must be built in ${root}, which this user cannot write.`);
  }
  await withLock(join(root, '.cache/build.lock'), async () => {
    if (!isFresh()) await build(root, { projects, stamp, flags: check ? [] : ['--noCheck'], progress });
  });
}
