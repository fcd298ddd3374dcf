import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BackedUp } from '@slipway/database/backup';
import { CliError } from '../cli-errors.js';

/** What a service's process loaded from an archive. */
export interface Loaded {
  readonly tables: number;
  readonly rows: number;
  /** Migrations that the archive did not have. */
  readonly migrated: readonly string[];
}

/** A process of one service that restores its database: only the service knows its migrations. */
export class RestoreProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  #stderr = '';

  constructor(
    readonly name: BackedUp,
    archive: string,
    replace: boolean,
  ) {
    const main = fileURLToPath(new URL(`../../../${name}-service/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, [main, `--restore=${archive}`, ...(replace ? ['--replace'] : [])], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#closed = once(child, 'close').then(([code]) => code as number | null);
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (text: Buffer) => (this.#stderr += text.toString()));
  }

  /** Waits until everything is loaded, in a transaction that is still open. @throws CliError with the reason */
  async loaded(): Promise<Loaded> {
    const lines = createInterface({ input: this.#child.stdout ?? process.stdin });
    const line = once(lines, 'line') as Promise<[string]>;
    const first = await Promise.race([line, this.#closed.then(() => null)]);
    if (first) return JSON.parse(first[0]) as Loaded;
    throw this.#failure('restore_refused');
  }

  /** Makes it real. @throws CliError when it did not become real, or nobody knows whether it did */
  async commit(): Promise<void> {
    this.#child.stdin?.end('commit\n');
    if ((await this.#closed) !== 0) throw this.#failure('restore_failed');
  }

  /** Leaves the database as it was. */
  async rollBack(): Promise<void> {
    this.#child.stdin?.end();
    await this.#closed;
  }

  #failure(code: string): CliError {
    return new CliError(code, this.#stderr.trim() || `${this.name}-service ended with ${this.#child.exitCode}.`, { database: this.name });
  }
}
