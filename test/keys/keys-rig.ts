import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROLES, type Role } from '@slipway/contracts';
import { connectNats, createLogger, type NatsConnection, type Pepper, renderNatsConf } from '@slipway/platform';
import { freePorts, TestNatsServer } from '@slipway/testing';

export const ENV = 'test';
/** The environment's only pepper. */
export const PEPPER: Pepper = { id: 'p1', secret: Buffer.alloc(32, 0xab) };
const PEPPERS = `${PEPPER.id}:${PEPPER.secret.toString('hex')}`;
/** Seals the keys that sign session tokens. */
export const SECRET_KEY = 'cd'.repeat(32);
const MAIN = fileURLToPath(new URL('../../apps/keys-service/dist/main.js', import.meta.url));
const passwords = Object.fromEntries(ROLES.map((role) => [role, `${role}-secret`])) as Record<Role, string>;

/** Polls until `probe` gives something; the deadline only bounds a failure. */
export async function until<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  deadlineMs = 30_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    await delay(10);
  }
}

/** A nats-server with the permissions of production, and connections to it. */
export class TestBus {
  readonly #connections: NatsConnection[] = [];

  private constructor(
    readonly server: TestNatsServer,
    readonly credentialsDir: string,
  ) {}

  static async start(): Promise<TestBus> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-bus-'));
    for (const role of ROLES) await writeFile(join(folder, `${role}.json`), JSON.stringify({ user: role, password: passwords[role] }));
    const [port = 0] = await freePorts(1);
    const config = renderNatsConf({
      env: ENV,
      host: '127.0.0.1',
      port,
      serverName: 'keys',
      storeDir: join(folder, 'jetstream'),
      passwords,
    });
    return new TestBus(await TestNatsServer.start({ port, config }), folder);
  }

  async connect(role: Role): Promise<NatsConnection> {
    const log = createLogger('test', 'silent');
    const nats = await connectNats({ url: this.server.url, role, credentialsDir: this.credentialsDir, name: `test ${role}`, log });
    this.#connections.push(nats);
    return nats;
  }

  async end(): Promise<void> {
    await Promise.all(this.#connections.map((nats) => nats.close()));
    await this.server.end();
    await rm(this.credentialsDir, { recursive: true, force: true });
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** keys-service as a process of its own, run from its build. */
export class KeysServiceProcess {
  #output = '';
  readonly exited: Promise<number | null>;

  private constructor(readonly child: ChildProcess) {
    running.add(child);
    child.stdout?.on('data', (text: Buffer) => (this.#output += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (this.#output += text.toString()));
    this.exited = once(child, 'exit').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
  }

  static start(bus: TestBus, environment: Record<string, string>): KeysServiceProcess {
    const env = {
      PATH: process.env['PATH'] ?? '',
      SLIPWAY_ENV: ENV,
      NATS_URL: bus.server.url,
      NATS_CREDENTIALS_DIR: bus.credentialsDir,
      KEY_PEPPERS: PEPPERS,
      SLIPWAY_SECRET_KEY: SECRET_KEY,
      DRAIN_MS: '5000',
      ...environment,
    };
    return new KeysServiceProcess(spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** All that it has written. */
  get output(): string {
    return this.#output;
  }

  logged(event: string): boolean {
    return this.#output.includes(`"event":"${event}"`);
  }

  /** Status and text of /readyz. */
  async readiness(): Promise<string> {
    const port = /"port":(\d+),"event":"ops.listening"/.exec(this.#output)?.[1];
    if (port === undefined) return 'not listening';
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    return `${response.status} ${await response.text()}`;
  }

  async ready(): Promise<void> {
    const settled = until(
      'keys-service is ready',
      async () => this.child.exitCode !== null || (await this.readiness()) === '200 ok',
      60_000,
    );
    await settled.catch((error: unknown) => {
      throw new Error(this.#output, { cause: error });
    });
    if (this.child.exitCode !== null) throw new Error(`keys-service has ended:\n${this.#output}`);
  }

  /** Ends it with a signal and returns its exit code. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.child.kill('SIGCONT');
    this.child.kill(signal);
    return this.exited;
  }
}
