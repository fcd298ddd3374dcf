import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARD, ensureDashboardBuilt } from './build-dashboard.mjs';
import { withLock } from './lock-file.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

const projectsIn = (root, folder) =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((project) => project !== DASHBOARD && existsSync(join(root, project, 'tsconfig.json')))
    .sort();

// Specs and their samples are run from source and leave no output.
const isSource = (file) => /\.(ts|json)$/.test(file) && !/\.(spec|samples)\.ts$/.test(file);

function filesOf(root, project) {
  const sources = readdirSync(join(root, project, 'src'), { recursive: true })
    .map(String)
    .filter(isSource)
    .sort()
    .map((file) => `src/${file}`);
  return ['package.json', 'tsconfig.json', ...sources].map((file) => `${project}/${file}`);
}

/** Changes with every file that the build reads. */
function fingerprint(root, files) {
  const hash = createHash('sha256');
  for (const file of ['tsconfig.base.json', 'package-lock.json', ...files]) {
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

/** tsc trusts its notes about outputs that were deleted, so a hole in them calls for all of it again. */
async function compile(root, apps, flags) {
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  const result = await runCommand(process.execPath, [tsc, '-b', ...apps, ...flags], { cwd: root });
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

function inspect(root, apps) {
  const files = [...apps, ...projectsIn(root, 'libs')].flatMap((project) => filesOf(root, project));
  // libs/testing needs development dependencies and is no part of the product.
  const product = files.filter((file) => !file.startsWith('libs/testing/'));
  return { print: fingerprint(root, files), missing: withoutOutput(root, product) };
}

async function build(root, { apps, stamp, flags, progress }) {
  const { print, missing } = inspect(root, apps);
  const again = missing.length > 0 && readStamp(stamp) === print;
  await progress.step('Building', () => compile(root, apps, again ? [...flags, '--force'] : flags));
  if (inspect(root, apps).missing.length > 0) {
    await progress.step('Building all of it again', () => compile(root, apps, [...flags, '--force']));
    const [left] = inspect(root, apps).missing;
    if (left) throw new StartError(`The build leaves no output for ${left}.`);
  }
  writeFileSync(stamp, print);
}

/**
 * Builds the apps, the libraries that they need and the dashboard, unless nothing changed since the last build.
 * Dependencies must be installed.
 * @param {{ root: string, check?: boolean, progress: import('./progress.mjs').Progress }} options
 *   check = false leaves the type check out, which halves the time and changes no output
 * @throws {StartError} with the compiler's output when the sources do not compile
 */
export async function ensureBuilt({ root, check = true, progress }) {
  await Promise.all([ensureCompiled({ root, check, progress }), ensureDashboardBuilt({ root, progress })]);
}

async function ensureCompiled({ root, check, progress }) {
  const apps = projectsIn(root, 'apps');
  const stamp = join(root, '.cache/build.txt');
  const isFresh = () => {
    const { print, missing } = inspect(root, apps);
    return missing.length === 0 && readStamp(stamp) === print;
  };
  if (isFresh()) return;
  if (!isWritable(root)) {
    if (inspect(root, apps).missing.length === 0) return;
    throw new StartError(`The programs are to be built in ${root}, which this user cannot write.`);
  }
  await withLock(join(root, '.cache/build.lock'), async () => {
    if (!isFresh()) await build(root, { apps, stamp, flags: check ? [] : ['--noCheck'], progress });
  });
}
