import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { withLock } from './lock-file.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** Names the release before while there is no tag. */
const FILE = 'test/upgrades/release-before.json';

async function git(root, ...args) {
  const { code, stdout } = await runCommand('git', args, { cwd: root });
  return code === 0 ? stdout.trim() : null;
}

async function must(command, args, root) {
  const result = await runCommand(command, args, { cwd: root });
  if (result.code !== 0) throw new StartError(`${command} ${args[0]} failed:\n${lastLines(result, 30)}`);
}

/** The newest tag of a release that lies before this commit; else the commit that the file names. */
async function defaultRef(root) {
  const tag = await git(root, 'describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD^');
  return tag ?? JSON.parse(readFileSync(join(root, FILE), 'utf8')).commit;
}

/**
 * The commit of an earlier release.
 * @param {string} root the repository
 * @param {string} [ref] default: the release before
 * @returns {Promise<{ ref: string, commit: string } | { skipped: string }>} skipped = why there is none
 */
export async function findRelease(root, ref) {
  if ((await git(root, 'rev-parse', '--git-dir')) === null) return { skipped: 'this folder is no clone of the repository' };
  const wanted = ref ?? (await defaultRef(root));
  const commit = await git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`);
  if (commit !== null) return { ref: wanted, commit };
  return { skipped: `this clone does not have ${wanted}; a shallow one gets it by "git fetch --unshallow --tags"` };
}

async function extract(root, commit, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await must('git', ['archive', '--output', `${folder}.tar`, commit], root);
  await must('tar', ['--extract', '--file', `${folder}.tar`, '--directory', folder], root);
  rmSync(`${folder}.tar`);
}

/** Links every file: a link to the whole folder would lead back to the libraries of this state. */
async function linkDependencies(root, folder) {
  const lockOf = (at) => readFileSync(join(at, 'package-lock.json'), 'utf8');
  if (lockOf(root) !== lockOf(folder)) return;
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')];
  if ((await runCommand('cp', ['--archive', '--link', from, to])).code === 0) return;
  rmSync(to, { recursive: true, force: true });
}

/** Only the programs: no test of upgrades opens the dashboard. Early releases have other steps for it, the first no links. */
async function compile(folder) {
  if (existsSync(join(folder, 'scripts/compile.mjs'))) return must(process.execPath, ['scripts/compile.mjs'], folder);
  await must(process.execPath, ['node_modules/typescript-7/bin/tsc', '-b', 'tsconfig.build.json'], folder);
  if (existsSync(join(folder, 'scripts/link.mjs'))) await must(process.execPath, ['scripts/link.mjs'], folder);
}

/**
 * Builds an earlier release in `.cache/releases/<commit>`, once. Its dependencies are those of its own lock file.
 * @param {{ root: string, commit: string, progress: import('./progress.mjs').Progress }} options
 * @returns {Promise<string>} the folder
 * @throws {StartError} when it cannot be installed or does not compile
 */
export async function ensureRelease({ root, commit, progress }) {
  const releases = join(root, '.cache/releases');
  const folder = join(releases, commit);
  const built = `${folder}.built`;
  if (existsSync(built)) return folder;
  mkdirSync(releases, { recursive: true });
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(built)) return;
    await extract(root, commit, folder);
    await linkDependencies(root, folder);
    await ensureInstalled({ root: folder, dev: true, progress });
    await progress.step(`Building ${commit.slice(0, 8)}`, () => compile(folder));
    writeFileSync(built, '');
  });
  return folder;
}
