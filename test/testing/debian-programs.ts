import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Outside of the repository: what is fetched or built here takes minutes, and serves every checkout. */
export const TOOL_CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'slipway');

/** Whether this machine has a program. */
export const hasProgram = (name: string): boolean => spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0;

/** Programs of a Debian package. */
export interface DebianPrograms {
  readonly package: string;
  /** A release such as `trixie`; absent: that of this system. */
  readonly release?: string;
  /** Paths in the package. */
  readonly programs: readonly string[];
}

interface Archive {
  downloadDebianPackage(name: string, folder: string, detail: () => void): Promise<string>;
  downloadFromDebian(options: { name: string; release: string; folder: string; detail: () => void }): Promise<string>;
}

async function unpack({ package: name, release }: DebianPrograms, folder: string): Promise<string> {
  const archive = (await import(new URL('../../scripts/lib/debian-package.mjs', import.meta.url).href)) as Archive;
  const detail = (): void => undefined;
  if (release === undefined) return archive.downloadDebianPackage(name, folder, detail);
  return archive.downloadFromDebian({ name, release, folder, detail });
}

/** Suites that run side by side may fetch the same: the first one to be ready stays. */
function keep(files: string, home: string): void {
  try {
    mkdirSync(dirname(home), { recursive: true });
    renameSync(files, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
  }
}

/**
 * Finds programs: each named by `<NAME>_BIN`, or of the PATH, or of a Debian package, which is fetched once and installed nowhere.
 * @returns their paths in the order of `programs`, or why there are none, as text after `skip:`
 * @throws Error where the package cannot be fetched
 */
export async function debianPrograms(wanted: DebianPrograms): Promise<readonly string[] | string> {
  const names = wanted.programs.map((path) => path.split('/').at(-1) ?? '');
  const given = names.map((name) => process.env[`${name.toUpperCase().replaceAll('-', '_')}_BIN`] ?? (hasProgram(name) ? name : ''));
  if (given.every((name) => name !== '')) return given;
  const home = join(TOOL_CACHE, `debian-${wanted.package}-${wanted.release ?? 'system'}`);
  if (!existsSync(home)) {
    if (!hasProgram('apt-get')) return `skip:${names.join(' and ')}, of Debian's package ${wanted.package}, are not here.`;
    mkdirSync(TOOL_CACHE, { recursive: true });
    const draft = mkdtempSync(join(TOOL_CACHE, 'draft-'));
    try {
      keep(await unpack(wanted, join(draft, 'package')), home);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return wanted.programs.map((path) => join(home, path));
}
