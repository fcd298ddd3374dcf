import { BenchError } from '../bench-error.js';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MOST_OUTPUT = 16 * 2 ** 20;

/** A state of the product in a folder of its own. */
export interface Checkout {
  readonly root: string;
  /** Its commit, short. */
  readonly commit: string;
}

/**
 * The commit that a name stands for, short.
 * @throws BenchError in one line when there is none
 */
async function commitOf(root: string, ref: string): Promise<string> {
  try {
    const { stdout } = await run('git', ['rev-parse', '--short=8', '--verify', '--end-of-options', `${ref}^{commit}`], { cwd: root });
    return stdout.trim();
  } catch (error) {
    throw new BenchError(`--against: git knows no commit ${ref}.`, { cause: error });
  }
}

const lockOf = (root: string): Promise<string> => readFile(join(root, 'package-lock.json'), 'utf8').catch(() => '');

/**
 * Puts a commit's files into `folder`, without a trace in the repository. Installed dependencies are linked where both have the
 * same lock file; else its own start installs them.
 */
export async function checkOut(root: string, ref: string, folder: string): Promise<Checkout> {
  const commit = await commitOf(root, ref);
  const archive = `${folder}.tar`;
  await mkdir(folder, { recursive: true });
  await run('git', ['archive', '--output', archive, commit], { cwd: root });
  await run('tar', ['--extract', '--file', archive, '--directory', folder], { maxBuffer: MOST_OUTPUT });
  await rm(archive);
  if ((await lockOf(root)) === (await lockOf(folder))) await linkDependencies(root, folder);
  return { root: folder, commit };
}

/** Links every file: a link to the whole folder would lead back to the other state's own libraries. */
async function linkDependencies(root: string, folder: string): Promise<void> {
  const from = join(root, 'node_modules');
  const to = join(folder, 'node_modules');
  const copy = (how: string): Promise<unknown> => run('cp', ['--archive', how, from, to], { maxBuffer: MOST_OUTPUT });
  await copy('--link').catch(async () => {
    // Links do not reach another file system.
    await rm(to, { recursive: true, force: true });
    await copy('--reflink=auto');
  });
  await mkdir(join(folder, '.cache'), { recursive: true });
  await copyFile(join(root, '.cache/install.json'), join(folder, '.cache/install.json')).catch(() => undefined);
}
