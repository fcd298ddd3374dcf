import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackages } from '../../testing/installed-packages.js';

/** How a tool ended. */
export interface ToolRun {
  readonly code: number;
  readonly output: string;
}

/** A program that others publish, on the Node.js that it wants. */
export class ToolPackage {
  private constructor(
    private readonly node: string,
    private readonly program: string,
  ) {}

  /** Installs what the manifest of a tool pins, as `installedPackages` does. */
  static async ensure(name: 'conformance' | 'inspector', program: string): Promise<ToolPackage> {
    const { folder, node } = await installedPackages(fileURLToPath(new URL(name, import.meta.url)), `mcp-${name}`);
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
