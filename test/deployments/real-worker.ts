import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithProcess } from '@slipway/testing';
import { until } from '../testing/until.js';

const MAIN = fileURLToPath(new URL('../../apps/inference-worker/dist/main.js', import.meta.url));

/** An agent of apps/inference-worker as a process, with its runners. */
export class RealWorker {
  readonly #child: ChildProcess;
  readonly exited: Promise<void>;
  #written = '';

  /** @param environment all of its settings */
  constructor(folder: string, environment: NodeJS.ProcessEnv) {
    // A process group of its own: runners and downloads must not stay when a test fails.
    this.#child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: folder,
      detached: true,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    });
    endWithProcess(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#written += chunk.toString()));
    this.exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  /** All that it and its runners wrote. */
  get output(): string {
    return this.#written;
  }

  /** To the agent alone. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it in order and returns all that it and its runners ever wrote: lines of a log gather before they leave. */
  async lastWords(): Promise<string> {
    this.#child.kill('SIGTERM');
    await this.exited;
    return until('the last line of the worker', () => this.#written.includes('"event":"lifecycle.stopped"') && this.#written);
  }

  /** Ends it and all that it started. */
  async end(): Promise<void> {
    try {
      process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
    await this.exited;
  }
}
