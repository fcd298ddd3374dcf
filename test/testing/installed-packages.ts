import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHES = fileURLToPath(new URL('../../.cache', import.meta.url));
const INSTALL_WITHIN_MS = 600_000;
const DRAFT = 'draft-';

/** Packages of Node.js by platform, as the registry names them. */
const NODE_PACKAGES = ['node', 'node-bin'].map((prefix) => `${prefix}-${process.platform}-${process.arch}`);

/** Packages that the product does not install, and what runs them. */
export interface InstalledPackages {
  /** Holds `node_modules`. */
  readonly folder: string;
  /** The Node.js that runs their programs. */
  readonly node: string;
}

/** A folder that is there already is not replaced. */
function keep(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Suites that run side by side may install the same at once: the first one to be ready stays, since it may be in use already. */
async function install(manifest: string, cache: string, state: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, DRAFT));
  try {
    cpSync(manifest, draft, { recursive: true });
    // No script of a package runs: what they would fetch or build is not used here.
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft, timeout: INSTALL_WITHIN_MS });
    const earlier = readdirSync(cache).filter((name) => name !== state && !name.startsWith(DRAFT));
    for (const name of earlier) rmSync(join(cache, name), { recursive: true, force: true });
    keep(draft, join(cache, state));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Installs what a manifest pins, a Node.js among it, once for each state of its lock file.
 * @param manifest folder of `package.json` and `package-lock.json`.
 * @param name the folder of its own below `.cache`.
 * @throws Error when npm cannot, or where the registry has no Node.js for this platform.
 */
export async function installedPackages(manifest: string, name: string): Promise<InstalledPackages> {
  const lock = readFileSync(join(manifest, 'package-lock.json'));
  const state = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const folder = join(CACHES, name, state);
  if (!existsSync(folder)) await install(manifest, join(CACHES, name), state);
  const node = NODE_PACKAGES.map((candidate) => join(folder, 'node_modules', candidate, 'bin/node')).find((path) => existsSync(path));
  if (node === undefined) throw new Error(`${manifest} has no Node.js for ${process.platform} on ${process.arch}.`);
  return { folder, node };
}
