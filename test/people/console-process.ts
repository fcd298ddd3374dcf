import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@slipway/testing';
import { ENV, type TestBus, until } from '../keys/keys-rig.js';

const MAIN = fileURLToPath(new URL('../../apps/console/dist/main.js', import.meta.url));

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The console as a process of its own, run from its build. */
export class ConsoleProcess {
  #output = '';
  readonly #exited: Promise<unknown>;

  private constructor(
    readonly child: ChildProcess,
    /** Where it is opened. */
    readonly url: string,
  ) {
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.#output += text.toString()));
    this.#exited = once(child, 'exit').then(() => running.delete(child));
  }

  /** Starts it and waits until it takes requests. */
  static async start(bus: TestBus, environment: Record<string, string> = {}): Promise<ConsoleProcess> {
    const [free = 0] = await freePorts(1);
    const port = environment['CONSOLE_PORT'] ?? String(free);
    const env = {
      PATH: process.env['PATH'] ?? '',
      SLIPWAY_ENV: ENV,
      NATS_URL: bus.server.url,
      NATS_CREDENTIALS_DIR: bus.credentialsDir,
      CONSOLE_PORT: port,
      DRAIN_MS: '3000',
      LOG_LEVEL: 'debug',
      ...environment,
    };
    const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const started = new ConsoleProcess(child, `http://127.0.0.1:${port}`);
    await until(
      'the console is ready',
      async () => {
        if (child.exitCode !== null) throw new Error(`The console has ended:\n${started.output}`);
        return (await fetch(`${started.url}/readyz`).catch(() => null))?.status === 200;
      },
      60_000,
    );
    return started;
  }

  /** All that it has written. */
  get output(): string {
    return this.#output;
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    await this.#exited;
    return this.child.exitCode;
  }
}
