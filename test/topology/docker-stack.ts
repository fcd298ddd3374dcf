import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from '@slipway/testing';
import { until } from '../testing/until.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Only bounds a failure: images may have to be built. */
const COMMAND_MS = 1_800_000;
const COMPOSE = ['compose', '--ansi', 'never', '--progress', 'quiet'];
const UP = ['up', '--detach', '--wait', '--no-build'];
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Containers of a default start that run permanently, by their services; workers are three. */
export const LASTING = [
  ...['nats-1', 'nats-2', 'nats-3', 'postgres', 'keys-service', 'deployments-service'],
  ...['console', 'gateway-1', 'gateway-2', 'worker'],
] as const;

/** Why the compose file cannot run here; null where a Docker daemon with Compose answers. */
export function dockerMissing(): string | null {
  const answers = (...args: string[]): boolean => spawnSync('docker', args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
  if (!answers('compose', 'version')) return 'docker compose is not installed';
  return answers('info') ? null : 'no Docker daemon answers';
}

/** Result of a command. */
export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

/**
 * The stack of docker-compose.yml in a real Docker daemon, with a project name, secrets, volumes and ports of its own. Images are
 * built unless SLIPWAY_IMAGES=keep says that those that are there are current.
 */
export class DockerStack {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-docker-'));
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(
    /** Where gateways are published. */
    readonly gateways: readonly [string, string],
    ports: readonly number[],
  ) {
    const [GATEWAY_1_PORT, GATEWAY_2_PORT, CONSOLE_PORT] = ports.map(String);
    this.#environment = {
      ...process.env,
      ...{ COMPOSE_PROJECT_NAME: `slipway-test-${process.pid}`, SLIPWAY_SECRETS: join(this.folder, 'secrets') },
      ...{ GATEWAY_1_PORT, GATEWAY_2_PORT, CONSOLE_PORT },
    };
  }

  /** @param settings of the compose file */
  static async lay(settings: Readonly<Record<string, string>> = {}): Promise<DockerStack> {
    const ports = await freePorts(3);
    const stack = new DockerStack([`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`], ports);
    Object.assign(stack.#environment, settings);
    if (process.env['SLIPWAY_IMAGES'] !== 'keep') await stack.compose('build');
    return stack;
  }

  /** Folder of the secrets. */
  get secrets(): string {
    return join(this.folder, 'secrets');
  }

  /** Runs `docker compose …`. @throws Error with its output where it fails */
  compose(...args: string[]): Promise<Ran> {
    return this.#run([...COMPOSE, ...args]);
  }

  /** Runs `docker …`. @throws as `compose` */
  docker(...args: string[]): Promise<Ran> {
    return this.#run(args);
  }

  /** Begins `docker compose up`, and kills the command and all containers after so many milliseconds. */
  async breakOffUp(afterMs: number): Promise<void> {
    await this.#run([...COMPOSE, ...UP], AbortSignal.timeout(afterMs)).catch(() => undefined);
    // The daemon may still start what the command asked for, and one container that does not run breaks off the command for all.
    const isQuiet = async (): Promise<boolean> => {
      await this.compose('kill').catch(() => undefined);
      return (await this.compose('ps', '--quiet', '--status', 'running')).output.trim() === '';
    };
    await until('no container runs', isQuiet, 60_000, 500);
  }

  async #run(args: readonly string[], signal?: AbortSignal): Promise<Ran> {
    const from = performance.now();
    const killSignal = 'SIGKILL' as const;
    const options = {
      cwd: ROOT,
      env: this.#environment,
      timeout: COMMAND_MS,
      maxBuffer: OUTPUT_BYTES,
      killSignal,
      ...(signal && { signal }),
    };
    const { stdout, stderr } = await run('docker', [...args], options).catch((cause: unknown) => {
      const { stdout: out = '', stderr: err = '' } = cause as { stdout?: string; stderr?: string };
      throw new Error(`docker ${args.join(' ')} failed:\n${out}${err}`.slice(0, 8_000), { cause });
    });
    return { code: 0, output: `${stdout}${stderr}`, seconds: (performance.now() - from) / 1_000 };
  }

  /** `docker compose up --detach --wait`. */
  up(): Promise<Ran> {
    return this.compose(...UP);
  }

  /** Runs a command of the command line, as the README says. */
  async cli(...args: string[]): Promise<string> {
    return (await this.compose('run', '--rm', '--no-TTY', 'cli', ...args)).output;
  }

  /** Completed requests that the ledger of the default account has counted so far. */
  async counted(): Promise<number> {
    const output = await this.cli('usage', '--json', '--by', 'status');
    const { rows } = JSON.parse(output.slice(output.indexOf('{'))) as { rows: { status: string; requests: number }[] };
    return rows.find(({ status }) => status === 'completed')?.requests ?? 0;
  }

  /** Ids of the containers of a service, in order. */
  async containers(service: string): Promise<string[]> {
    return (await this.compose('ps', '--all', '--quiet', service)).output.trim().split('\n').filter(Boolean);
  }

  /** The newest warnings and errors in the logs of a service. */
  async warnings(service: string): Promise<string> {
    const lines = (await this.compose('logs', '--no-color', service)).output.split('\n');
    return lines
      .filter((line) => /"level":"(?:warn|error|fatal)"/.test(line))
      .slice(-40)
      .join('\n');
  }

  /** Waits until all containers of a service are ready by their own probes. */
  async whenReady(service: string, withinMs = 60_000): Promise<void> {
    for (const id of await this.containers(service)) {
      const state = '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}';
      const isReady = async (): Promise<boolean> => /^healthy|^running/.test((await this.docker('inspect', '--format', state, id)).output);
      await until(`${service} is healthy`, isReady, withinMs, 500);
    }
  }

  /** The containers whose probes fail, with what Docker calls them. */
  async unhealthy(): Promise<string[]> {
    const all = await Promise.all(LASTING.map((service) => this.containers(service)));
    const format = '{{.Name}} {{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}';
    const { output } = await this.docker('inspect', '--format', format, ...all.flat());
    return output
      .trim()
      .split('\n')
      .filter((line) => !/ running (?:healthy)?$/.test(line));
  }

  /** Kills all NATS nodes at once and removes their volumes; `up` makes new ones. */
  async loseNatsDisks(): Promise<void> {
    const nodes = ['nats-1', 'nats-2', 'nats-3'];
    await this.compose('kill', ...nodes);
    // `init` has the volumes too.
    await this.compose('rm', '--stop', '--force', '--volumes', ...nodes, 'init');
    const volumes = (await this.docker('volume', 'ls', '--quiet', '--filter', 'name=_nats-')).output.trim().split('\n');
    await this.docker('volume', 'rm', ...volumes.filter((name) => name.startsWith(`${this.#environment['COMPOSE_PROJECT_NAME']}_`)));
  }

  /** Removes everything that it made. */
  async remove(): Promise<void> {
    await this.compose('--profile', '*', 'down', '--volumes', '--timeout', '1', '--remove-orphans').catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
