import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { downloadDebianPackage } from './debian-package.mjs';
import { runCommand } from './run-command.mjs';
import { StartError } from './start-error.mjs';

/** Debian installs servers to /usr/sbin, which is not on a normal user's PATH. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin'];

const runs = async (path) => existsSync(path) && (await runCommand(path, ['-v'])).code === 0;

async function download(binDir, detail) {
  mkdirSync(binDir, { recursive: true });
  const work = join(binDir, `.nginx-${process.pid}`);
  const path = join(binDir, 'nginx');
  try {
    const extracted = await downloadDebianPackage('nginx', work, detail);
    copyFileSync(join(extracted, 'usr/sbin/nginx'), `${path}.${process.pid}`);
    chmodSync(`${path}.${process.pid}`, 0o755);
    renameSync(`${path}.${process.pid}`, path);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  if (!(await runs(path))) throw new Error('the package’s nginx does not run on this system');
  return path;
}

/**
 * Finds nginx, which the benchmark uses for comparison, or downloads it from the system's package archive without root.
 * @param {{ binDir: string, env?: NodeJS.ProcessEnv, progress: import('./progress.mjs').Progress }} options
 *   binDir = folder of a downloaded binary
 * @returns {Promise<string>} path of the binary
 * @throws {StartError} that says what to install
 */
export async function ensureNginx({ binDir, env = process.env, progress }) {
  const folders = [binDir, ...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...FOLDERS];
  for (const folder of new Set(folders)) {
    const path = join(folder, 'nginx');
    if (await runs(path)) return path;
  }
  try {
    return await progress.step('Fetching nginx from the system’s package archive', (detail) => download(binDir, detail));
  } catch (error) {
    throw new StartError(`nginx, which the benchmark uses for comparison, is missing; install it (${error.message}).`, { cause: error });
  }
}
