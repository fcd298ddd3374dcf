import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../packages', import.meta.url));
const CACHE = join(REPOSITORY, '.cache/clients');
const INSTALL_WITHIN_MS = 600_000;

/** Packages of Node.js by platform, as the registry names them. */
const NODE_PACKAGES = ['node', 'node-bin'].map((prefix) => `${prefix}-${process.platform}-${process.arch}`);
const CLAUDE_CODE = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;

/** Where clients lie, and what runs them. */
export interface ClientPackages {
  /** Holds `node_modules`. */
  readonly folder: string;
  /** The Node.js that runs their programs. */
  readonly node: string;
}

/** Clients that the repository has installed anyway, on the Node.js of the tests. */
export const INSTALLED: ClientPackages = { folder: REPOSITORY, node: process.execPath };

async function installInto(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  try {
    cpSync(MANIFEST, draft, { recursive: true });
    // No script of a package runs: what they would fetch or build is not used here.
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft, timeout: INSTALL_WITHIN_MS });
    for (const name of readdirSync(CACHE)) if (!name.startsWith('draft-')) rmSync(join(CACHE, name), { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Installs what `test/clients/packages` pins, once for each state of its lock file.
 * @throws Error when npm cannot, or where the registry has no Node.js 22 for this platform.
 */
export async function ensureClientPackages(): Promise<ClientPackages> {
  const digest = createHash('sha256')
    .update(readFileSync(join(MANIFEST, 'package-lock.json')))
    .digest('hex');
  const folder = join(CACHE, digest.slice(0, 16));
  if (!existsSync(folder)) await installInto(folder);
  const node = NODE_PACKAGES.map((name) => join(folder, 'node_modules', name, 'bin/node')).find((path) => existsSync(path));
  if (node === undefined) throw new Error(`test/clients/packages has no Node.js for ${process.platform} on ${process.arch}.`);
  return { folder, node };
}

/** The program of Claude Code. */
export const claudeCodeOf = ({ folder }: ClientPackages): string => join(folder, 'node_modules', CLAUDE_CODE);
