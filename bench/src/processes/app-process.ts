import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitUntil } from './wait-until.js';

const READY_WITHIN_MS = 120_000;

/** One app of this repository as a process, from its build. */
export class AppProcess {
  #output = '';
  readonly #startedAt = performance.now();

  private constructor(
    private readonly child: ChildProcess,
    private readonly app: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.#output += text.toString()));
  }

  /** Starts it and waits until it serves. @returns it, and how long that took in milliseconds */
  static async start(
    root: string,
    app: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): Promise<{ readonly running: AppProcess; readonly readyMs: number }> {
    const child = spawn(process.execPath, [join(root, `apps/${app}/dist/main.js`)], {
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new AppProcess(child, app);
    await waitUntil(`${app} starts`, READY_WITHIN_MS, () => running.#isReady());
    return { running, readyMs: performance.now() - running.#startedAt };
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Of its line `event` in the log. */
  port(event: string): number | null {
    const port = new RegExp(`"port":(\\d+),"event":"${event}"`).exec(this.#output)?.[1];
    return port === undefined ? null : Number(port);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  async #isReady(): Promise<true | null> {
    if (this.child.exitCode !== null) throw new Error(`${this.app} has ended:\n${this.#output}`);
    const port = this.port('ops.listening');
    if (port === null) return null;
    return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200 ? true : null;
  }
}
