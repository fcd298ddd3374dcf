import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from '../../../scripts/lib/lock-file.mjs';
import { type ClientPackages, INSTALLED } from './client-packages.js';

const REQUIREMENTS = fileURLToPath(new URL('../packages/requirements.txt', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/clients-python', import.meta.url));
const INSTALL_WITHIN_MS = 600_000;
const run = promisify(execFile);

/** Makes a virtual environment with what PyPI has of `packages/requirements.txt`. Half an installation has no mark. */
async function install(folder: string, mark: string): Promise<void> {
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', REQUIREMENTS];
  await run(join(folder, 'bin/python'), pip, { timeout: INSTALL_WITHIN_MS });
  mkdirSync(mark);
}

/**
 * Installs clients of Python once for each state of what is pinned.
 * @throws Error when there is no Python with venv, or PyPI cannot be reached.
 */
export async function ensurePythonPackages(): Promise<ClientPackages> {
  const state = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const folder = join(CACHE, state);
  const mark = join(folder, 'installed');
  // Suites that run side by side need the same; an environment cannot be moved to its place once it is made.
  if (!existsSync(mark)) await withLock(`${CACHE}.lock`, () => (existsSync(mark) ? Promise.resolve() : install(folder, mark)));
  return { ...INSTALLED, folder, python: join(folder, 'bin/python') };
}
