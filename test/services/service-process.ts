import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../deployments/until.js';
import { type Bus, ENV } from './bus.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** Only bounds a failure: a busy machine takes its time. */
const READY_WITHIN_MS = 60_000;

export const MODELS = `${REPOSITORY}models`;
export const PEPPER_SECRET = 'ab'.repeat(32);

export type AppName = 'keys-service' | 'deployments-service' | 'gateway' | 'inference-worker' | 'console';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** An app as a process of its own, run from its build with nothing of this process's environment but its PATH. */
export class ServiceProcess {
  #output = '';
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;

  constructor(
    readonly app: AppName,
    bus: Pick<Bus, 'url' | 'credentialsDir'>,
    environment: Readonly<Record<string, string>>,
  ) {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      SLIPWAY_ENV: ENV,
      NATS_URL: bus.url,
      NATS_CREDENTIALS_DIR: bus.credentialsDir,
      DRAIN_MS: '5000',
      ...environment,
    };
    const child = spawn(process.execPath, [`${REPOSITORY}apps/${app}/dist/main.js`], {
      env,
      cwd: bus.credentialsDir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (this.#output += text.toString()));
    this.exited = once(child, 'exit').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
  }

  /** All that it has written. */
  get output(): string {
    return this.#output;
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
      throw new Error(this.#output, { cause: error });
    }
    return this;
  }

  /** Ends it with a signal and returns its exit code. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.exited;
  }

  async #isReady(): Promise<boolean> {
    if (this.#child.exitCode !== null) throw new Error(`${this.app} has ended.`);
    const port = this.port('ops.listening');
    if (port === undefined) return false;
    return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200;
  }
}
