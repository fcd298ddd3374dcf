import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type TestPostgres, startTestPostgres } from '@slipway/testing';
import { runCli as runCliHere } from '../../apps/cli/src/cli.js';
import { COMMANDS } from '../../apps/cli/src/commands.js';
import { connectServices } from '../../apps/cli/src/session/connect.js';
import { Terminal } from '../../apps/cli/src/terminal.js';
import { FakeAgent } from '../deployments/fake-agent.js';
import { startKeysService } from '../keys/keys-service.js';
import { Bus, ENV } from '../services/bus.js';
import { deploymentsDatabase, keysDatabase } from '../services/migrated.js';
import { ServiceInProcess } from '../services/service-in-process.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** What npm puts there for `npx slipway`. */
const BINARY = join(REPOSITORY, 'node_modules/.bin/slipway');
export const MODEL = join(REPOSITORY, 'models/svc-tiny.Q8_0.gguf');
export const ENGINE = 'http://engine.test:8000';

/** How a run of the command line ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** A run of the command line that has not ended yet. */
export class Running {
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#closed = once(child, 'close');
  }

  async ended(): Promise<Run> {
    await this.#closed;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }
}

/** Starts the command line with nothing of this process's environment but its PATH. */
const startCli = (args: readonly string[], { environment = {}, cwd = REPOSITORY }: RunOptions = {}): Running =>
  new Running(
    spawn(BINARY, args, { cwd, env: { PATH: process.env['PATH'], ...environment }, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 }),
  );

/** Runs the command line as a process: for what a process alone shows, such as its exit code. */
export const runCli = (args: readonly string[], options?: RunOptions): Promise<Run> => startCli(args, options).ended();

interface RunHere {
  readonly environment?: NodeJS.ProcessEnv;
  /** Where a data folder is, unless the arguments say so. */
  readonly dataDir?: string;
  /** What a person types; absent = there is no terminal. */
  readonly typed?: string | undefined;
}

/** Runs the command line in this process, its output into pipes: starting a process for each would be most of what tests cost. */
export async function runCliInProcess(args: readonly string[], { environment = {}, dataDir, typed }: RunHere = {}): Promise<Run> {
  const stream = (): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  // Read while the command runs: it waits for whoever does not.
  const [out, error] = [stdout, stderr].map((output) => {
    const parts: Buffer[] = [];
    output.on('data', (part: Buffer) => parts.push(part));
    return parts;
  });
  stdin.end(typed);
  const terminal = new Terminal({ stdin, stdout, stderr });
  const defaultDataDir = dataDir ?? join(REPOSITORY, '.slipway');
  const code = await runCliHere(
    {
      commands: COMMANDS,
      terminal,
      cwd: REPOSITORY,
      version: '1.2.3',
      variable: (name) => environment[name],
      openSession: ({ dataDir: named, accountOption }) =>
        connectServices({ environment, dataDir: named ?? dataDir, defaultDataDir }, { terminal, accountOption }),
    },
    args,
  );
  const textOf = (parts: readonly Buffer[] = []): string => Buffer.concat(parts).toString();
  return { code, stdout: textOf(out), stderr: textOf(error) };
}

/** The one document of `--json`. @throws when stdout holds anything else */
export const documentOf = <T>({ stdout }: Run): T => JSON.parse(stdout) as T;

const startDeployments = (bus: Bus, database: string): ServiceInProcess =>
  new ServiceInProcess('deployments-service', bus, {
    DEPLOYMENTS_DATABASE_URL: database,
    SLIPWAY_SECRET_KEY: 'ab'.repeat(32),
    MODEL_DIRS: join(REPOSITORY, 'models'),
    ENGINE_HOSTS: new URL(ENGINE).host,
  });

/** NATS, PostgreSQL and both services, found as after `npm start`: by a note in a data folder. */
export class CliRig {
  readonly agents: FakeAgent[] = [];
  readonly #services: ServiceInProcess[] = [];

  private constructor(
    readonly postgres: TestPostgres,
    readonly bus: Bus,
    readonly dataDir: string,
  ) {}

  static async start(): Promise<CliRig> {
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-cli-'));
    const [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start()]);
    const rig = new CliRig(postgres, bus, dataDir);
    try {
      await rig.#start();
      return rig;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** Runs a command in this process. */
  run(...args: string[]): Promise<Run> {
    return this.#runHere(args);
  }

  /** Starts a command as a process, without waiting for its end. It finds everything by the data folder. */
  begin(...args: string[]): Running {
    return startCli([...args, '--data-dir', this.dataDir]);
  }

  /** Runs a command with `--json` that must succeed, in this process: what a test needs besides what it is about. */
  async json<T>(...args: string[]): Promise<T> {
    const run = await this.#runHere([...args, '--json']);
    if (run.code !== 0) throw new Error(`slipway ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
    return documentOf<T>(run);
  }

  /** Runs a command in this process, as on an interactive terminal. */
  type(typed: string, ...args: string[]): Promise<Run> {
    return this.#runHere(args, typed);
  }

  /** Adds a worker that applies its assignments at once. */
  async addAgent(changes: Partial<Pick<FakeAgent, 'react' | 'facts'>> = {}): Promise<FakeAgent> {
    const agent = Object.assign(new FakeAgent(await this.bus.connect('worker'), ENV), changes);
    this.agents.push(agent);
    agent.beat();
    return agent;
  }

  /** Ends deployments-service. */
  async stopDeployments(): Promise<void> {
    await this.#services.pop()?.end();
  }

  async end(): Promise<void> {
    for (const agent of this.agents) agent.stop();
    await Promise.all(this.#services.map((service) => service.end()));
    await this.bus.end();
    await this.postgres.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  #runHere(args: readonly string[], typed?: string): Promise<Run> {
    return runCliInProcess(args, { dataDir: this.dataDir, typed });
  }

  async #start(): Promise<void> {
    const [keys, deployments] = await Promise.all([keysDatabase(this.postgres), deploymentsDatabase(this.postgres)]);
    this.#services.push(startKeysService(this.bus, { KEYS_DATABASE_URL: keys }), startDeployments(this.bus, deployments));
    await mkdir(join(this.dataDir, 'run'));
    const note = { environment: ENV, nats_url: this.bus.url, credentials_dir: this.bus.credentialsDir };
    await writeFile(join(this.dataDir, 'run/control.json'), JSON.stringify(note));
    for (const service of this.#services) await service.ready();
  }
}
