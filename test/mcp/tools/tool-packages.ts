import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CACHE = fileURLToPath(new URL('../../../.cache/mcp-tools', import.meta.url));
const INSTALL_WITHIN_MS = 600_000;
/** Packages of Node.js by platform, as the registry names them. */
const NODE_PACKAGES = ['node', 'node-bin'].map((prefix) => `${prefix}-${process.platform}-${process.arch}`);

const run = promisify(execFile);

/** How a tool ended. */
export interface ToolRun {
  readonly code: number;
  readonly output: string;
}

async function install(manifest: string, name: string, folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  try {
    cpSync(manifest, draft, { recursive: true });
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft, timeout: INSTALL_WITHIN_MS });
    for (const old of readdirSync(CACHE)) if (old.startsWith(`${name}-`)) rmSync(join(CACHE, old), { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A program that others publish, on the Node.js that it wants. */
export class ToolPackage {
  private constructor(
    private readonly node: string,
    private readonly program: string,
  ) {}

  /**
   * Installs what the manifest of a tool pins, once for each state of its lock file, outside of what the product installs.
   * @throws Error when npm cannot, or where the registry has no Node.js for this platform.
   */
  static async ensure(name: 'conformance' | 'inspector', program: string): Promise<ToolPackage> {
    const manifest = fileURLToPath(new URL(name, import.meta.url));
    const digest = createHash('sha256')
      .update(readFileSync(join(manifest, 'package-lock.json')))
      .digest('hex');
    const folder = join(CACHE, `${name}-${digest.slice(0, 16)}`);
    if (!existsSync(folder)) await install(manifest, name, folder);
    const node = NODE_PACKAGES.map((candidate) => join(folder, 'node_modules', candidate, 'bin/node')).find((path) => existsSync(path));
    if (node === undefined) throw new Error(`test/mcp/tools/${name} has no Node.js for ${process.platform} on ${process.arch}.`);
    return new ToolPackage(node, join(folder, 'node_modules', program));
  }

  /** Runs it to its end, however it ends. */
  run(args: readonly string[], timeoutMs: number): Promise<ToolRun> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NO_COLOR: '1' };
    const options = { env, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, killSignal: 'SIGKILL' } as const;
    return new Promise((resolve) => {
      execFile(this.node, [this.program, ...args], options, (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : -1;
        resolve({ code: error === null ? 0 : code, output: `${stdout}${stderr}` });
      });
    });
  }
}
