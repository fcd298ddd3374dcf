import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithProcess } from './end-with-process.js';
import { freePorts } from './free-ports.js';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const READY_WITHIN_MS = 15_000;
const POLL_MS = 20;

/** Path of nats-server. @throws Error naming the searched folders. */
export function findNatsServer(): string {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    join(REPOSITORY, '.cache/bin'),
    join(REPOSITORY, '.slipway/bin'),
  ];
  const candidates = [process.env['NATS_SERVER_BIN'] ?? '', ...folders.map((folder) => join(folder, 'nats-server'))];
  const found = candidates.find(isExecutable);
  if (found === undefined) throw new Error(`nats-server was not found: set NATS_SERVER_BIN, or put it into one of ${folders.join(', ')}.`);
  return found;
}

function isExecutable(path: string): boolean {
  if (path === '' || !path.startsWith('/')) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Options of a test nats-server. */
export interface TestNatsOptions {
  /** Further configuration lines; `listen` is set already. */
  readonly config?: string | undefined;
  readonly port?: number | undefined;
}

/** A real nats-server on a free port with its own folder. Stop it in `afterAll`, also when a test failed. */
export class TestNatsServer {
  #child: ChildProcess | null = null;
  #output = '';

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** 0 while it does not run. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The server's log so far. */
  get log(): string {
    return this.#output;
  }

  static async start({ config = '', port }: TestNatsOptions = {}): Promise<TestNatsServer> {
    const chosen = port ?? (await freePorts(1))[0] ?? 0;
    const folder = await mkdtemp(join(tmpdir(), 'slipway-nats-'));
    const server = new TestNatsServer(chosen, folder);
    try {
      await server.#write(config);
      await server.restart();
      return server;
    } catch (err) {
      await server.end();
      throw err;
    }
  }

  /** Starts the process again on the same port; ends the running one first. */
  async restart(): Promise<void> {
    await this.kill();
    const child = spawn(findNatsServer(), ['-c', join(this.folder, 'nats.conf')], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    endWithProcess(child);
    child.stdout.on('data', (text: Buffer) => (this.#output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (this.#output += text.toString()));
    await this.#whenReady(child);
  }

  /**
   * Has the running process read its configuration and certificates again.
   * @param config lines that replace those it has; absent = the same
   * @throws Error when it refuses them
   */
  async reload(config?: string): Promise<void> {
    if (config !== undefined) await this.#write(config);
    const before = this.#output.length;
    this.#child?.kill('SIGHUP');
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!this.#output.slice(before).includes('Reloaded server configuration')) {
      const failed = this.#output.slice(before).includes('Failed to reload') || Date.now() > deadline;
      if (failed) throw new Error(`nats-server did not reload:\n${this.#output.slice(before)}`);
      await pause();
    }
  }

  /** Sends a signal and waits for the end of the process. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Suspends the process: its sockets stay open but nothing answers. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Has the server close its connections one after the other, and then end: see `lame_duck_duration` in its configuration. */
  lameDuck(): void {
    this.#child?.kill('SIGUSR2');
  }

  /** Ends the process and removes its files. */
  async end(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #write(config: string): Promise<void> {
    await writeFile(join(this.folder, 'nats.conf'), `listen: "127.0.0.1:${this.port}"\n${config}\n`);
  }

  async #whenReady(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!(await readInfo(this.port))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nats-server did not start:\n${this.#output}`);
      await pause();
    }
  }
}

/** Several nats-servers in one cluster. */
export interface TestNatsCluster {
  readonly servers: readonly TestNatsServer[];
  /** All of them, separated by commas. */
  readonly url: string;
  end(): Promise<void>;
}

/** Starts a cluster and waits until every server knows all others. @param more further lines of their configuration */
export async function startNatsCluster(size = 3, more = ''): Promise<TestNatsCluster> {
  const ports = await freePorts(2 * size);
  const routePorts = ports.slice(size);
  const routes = routePorts.map((port) => `nats-route://127.0.0.1:${port}`).join(', ');
  const started = await Promise.allSettled(
    routePorts.map((routePort, i) =>
      TestNatsServer.start({
        port: ports[i],
        config: `server_name: "n${i}"\ncluster { name: test, listen: "127.0.0.1:${routePort}", routes: [${routes}] }\n${more}`,
      }),
    ),
  );
  const servers = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const cluster = {
    servers,
    url: servers.map((server) => server.url).join(','),
    end: async () => void (await Promise.all(servers.map((s) => s.end()))),
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed || !(await routesStand(servers))) {
    await cluster.end();
    throw new Error('The NATS cluster did not come together.', { cause: failed?.reason });
  }
  return cluster;
}

/** Waits until every server of the cluster knows all others; false after a few seconds. */
export async function routesStand(servers: readonly TestNatsServer[]): Promise<boolean> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const infos = await Promise.all(servers.map((server) => readInfo(server.port)));
    if (infos.every((info) => info?.connect_urls?.length === servers.length)) return true;
    await pause();
  }
  return false;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS));

interface ServerInfo {
  readonly connect_urls?: readonly string[];
}

/** The INFO line of a nats-server; null while none answers. */
async function readInfo(port: number): Promise<ServerInfo | null> {
  const socket = createConnection({ host: '127.0.0.1', port, timeout: 1_000 });
  let text = '';
  try {
    return await new Promise((resolve) => {
      const giveUp = (): void => resolve(null);
      socket.on('error', giveUp).on('timeout', giveUp).on('close', giveUp);
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const line = /^INFO (\{.*\})\s*\r\n/.exec(text);
        if (line?.[1] !== undefined) resolve(JSON.parse(line[1]) as ServerInfo);
      });
    });
  } finally {
    socket.destroy();
  }
}
