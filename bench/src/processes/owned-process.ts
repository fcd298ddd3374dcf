import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface OwnedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What asks it to end. */
  readonly stopSignal: 'SIGTERM' | 'SIGQUIT';
  readonly stopWithinMs: number;
}

/** A server that the benchmark started, in a session of its own: Ctrl-C reaches only the benchmark, which ends it in good order. */
export class OwnedProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout = '';
  #stderr = '';

  constructor(private readonly options: OwnedProcessOptions) {
    const { command, args, cwd, env } = options;
    this.#child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#closed = once(this.#child, 'close');
    this.#closed.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined;
  }

  async stop(): Promise<void> {
    if (this.ended) return;
    this.#child.kill(this.options.stopSignal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), this.options.stopWithinMs);
    await this.#closed.catch(() => undefined);
    clearTimeout(timer);
  }
}
