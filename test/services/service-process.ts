import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithProcess } from '@slipway/testing';
import { until } from '../testing/until.js';
import { ENV } from './bus.js';
import type { AppName, NatsAddress, TestService } from './test-service.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** Only bounds a failure: a busy machine takes its time. */
const READY_WITHIN_MS = 50_000;

export const MODELS = `${REPOSITORY}models`;
export const PEPPER_SECRET = 'ab'.repeat(32);

/** An app as a process of its own, run from its build with nothing of this process's environment but its PATH. */
export class ServiceProcess implements TestService {
  #output = '';
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;

  constructor(
    readonly app: AppName,
    { url, credentialsDir }: NatsAddress,
    environment: Readonly<Record<string, string>>,
    /** Repository whose build it runs. */
    root = REPOSITORY,
    /** Of Node and V8. */
    flags: readonly string[] = [],
  ) {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      SLIPWAY_ENV: ENV,
      NATS_URL: url,
      ...(credentialsDir !== undefined && { NATS_CREDENTIALS_DIR: credentialsDir }),
      DRAIN_MS: '5000',
      ...environment,
    };
    const child = spawn(process.execPath, [...flags, join(root, `apps/${app}/dist/main.js`)], {
      env,
      cwd: credentialsDir ?? tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    endWithProcess(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (this.#output += text.toString()));
    // Runners hold an agent's output until their streams have ended; of all others, nothing is left unread.
    this.exited = once(child, app === 'inference-worker' ? 'exit' : 'close').then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** All that it has written. */
  get output(): string {
    return this.#output;
  }

  /** Whether its log has this. */
  logged(event: string): boolean {
    return this.#output.includes(`"event":"${event}"`);
  }

  /** The port that a `….listening` line of the log names; undefined before it is written. */
  port(event: string): number | undefined {
    const port = new RegExp(`"port":(\\d+),"event":"${event}"`).exec(this.#output)?.[1];
    return port === undefined ? undefined : Number(port);
  }

  async ready(): Promise<this> {
    try {
      await until(`${this.app} is ready`, () => this.#isReady(), READY_WITHIN_MS);
    } catch (error) {
      // A test that was not handed it cannot end it.
      await this.end();
      throw new Error(this.#output, { cause: error });
    }
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it with a signal and returns its exit code; then all that it wrote is in `output`. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.exited;
  }

  async end(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** Ends it in order and returns all that it ever wrote: lines of a log gather for a while before they leave. */
  async lastWords(): Promise<string> {
    await this.stop();
    return until(`the last line of ${this.app}`, () => this.logged('lifecycle.stopped') && this.#output);
  }

  /** Status and text of /readyz; status 0 while the port is closed. */
  async readiness(): Promise<{ readonly status: number; readonly text: string }> {
    const port = this.port('ops.listening');
    const answer = port === undefined ? null : await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
  }

  async #isReady(): Promise<boolean> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw new Error(`${this.app} has ended.`);
    // Its last line but one may wait for others when it is ready already, and ports are read from lines.
    return this.#output.includes('"event":"lifecycle.ready"') && (await this.readiness()).status === 200;
  }
}
