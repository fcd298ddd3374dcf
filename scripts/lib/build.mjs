import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock-file.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

const projectsIn = (root, folder) =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((project) => existsSync(join(root, project, 'tsconfig.json')))
    .sort();

const isSource = (file) => /\.(ts|json)$/.test(file) && !file.endsWith('.spec.ts');

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

const outputOf = (source) => source.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
const hasOutputs = (root, files) => files.every((file) => !file.endsWith('.ts') || existsSync(join(root, outputOf(file))));

function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** tsc trusts its notes about outputs that were deleted, so a hole in them calls for all of it again. */
async function compile(root, apps, force) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const result = await runCommand(process.execPath, [tsc, '-b', ...apps, ...(force ? ['--force'] : [])], { cwd: root });
  if (result.code !== 0) throw new StartError(`The build failed:\n${lastLines(result, 30)}`);
}

/**
 * Builds the apps and the libraries that they need, unless nothing changed since the last build.
 * Dependencies must be installed.
 * @param {{ root: string, progress: import('./progress.mjs').Progress }} options
 * @throws {StartError} with the compiler's output when the sources do not compile
 */
export async function ensureBuilt({ root, progress }) {
  const apps = projectsIn(root, 'apps');
  const stamp = join(root, '.cache/build.txt');
  const inspect = () => {
    const files = [...apps, ...projectsIn(root, 'libs')].flatMap((project) => filesOf(root, project));
    return { files, print: fingerprint(root, files) };
  };
  // libs/testing needs development dependencies and is no part of the product.
  const outputs = (files) => files.filter((file) => !file.startsWith('libs/testing/'));
  const fresh = ({ files, print }) => readStamp(stamp) === print && hasOutputs(root, outputs(files));
  if (fresh(inspect())) return;
  mkdirSync(join(root, '.cache'), { recursive: true });
  await withLock(join(root, '.cache/build.lock'), async () => {
    const before = inspect();
    if (fresh(before)) return;
    await progress.step('Building (tsc -b)', () => compile(root, apps, readStamp(stamp) === before.print));
    if (!hasOutputs(root, outputs(before.files))) await progress.step('Building again', () => compile(root, apps, true));
    writeFileSync(stamp, before.print);
  });
}
