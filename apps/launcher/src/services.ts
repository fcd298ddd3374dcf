import { join } from 'node:path';
import type { Role } from '@slipway/contracts';
import { portProblem } from '../../../scripts/lib/ports.mjs';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { type LaunchContext, TIERS, deviceEnvironment, pick, plainEnvironment } from './launch-context.js';
import type { NatsAddress } from './nats.js';
import { localEngineHosts } from './model-source.js';
import { COMMON_SETTINGS, PROXIES, SETTINGS } from './settings.js';

/** Time of each service's graceful shutdown, in milliseconds. */
const DRAIN_MS = 3_000;

/** Servers that the services use. */
export interface Surroundings {
  readonly nats: NatsAddress;
  /** Environment variables of the databases. */
  readonly databases: Readonly<Record<string, string>>;
}

/** A process with its HTTP address. */
export interface HttpAddress {
  readonly name: string;
  readonly url: string;
}

/** Name of the process that runs the services which own data. */
export const CONTROL_PLANE = 'control-plane';

/** Role of each app's credentials. Workers start with those of `join`, with which they request their own. */
const ROLE_OF: Readonly<Record<string, Role>> = {
  'keys-service': 'keys',
  'deployments-service': 'deployments',
  'tuning-service': 'tuning',
  'inference-worker': 'join',
  'training-worker': 'trainer',
  gateway: 'gateway',
  console: 'console',
};

/** One helper thread in place of V8's four: some MiB less. */
const ONE_HELPER = '--v8-pool-size=1';
/**
 * V8 flags by app. Control plane and console have no hot path: a small young generation and lazy compilation save about 30 MiB
 * each. Agents have one, as they relay HTTP engines themselves: there the flag cost 1.15 to 1.45 times the processor time per
 * request, and saved nothing at rest, once the garbage of the start is gone. Gateways and runners keep V8's defaults.
 */
const SMALL = ['--optimize-for-size', ONE_HELPER];
/** One heap of glibc per process instead of one for each thread that allocates: 4 to 8 MiB less each. */
const ONE_HEAP = { MALLOC_ARENA_MAX: '1' };
const FLAGS_OF: Readonly<Record<string, readonly string[]>> = { 'inference-worker': [ONE_HELPER], console: SMALL };

type Tier = { readonly tier: number; readonly stopWithinMs: number };

const SERVICES: Tier = { tier: TIERS.services, stopWithinMs: 2_500 };
const WORKERS: Tier = { tier: TIERS.workers, stopWithinMs: 2_000 };
const GATEWAYS: Tier = { tier: TIERS.gateways, stopWithinMs: 3_500 };

/** Starts services, workers, gateways and the console as processes with their settings. */
export class Services {
  /** Ports that are assigned, including those on which nothing listens yet. */
  readonly #assignedPorts = new Set<number>();

  constructor(
    private readonly context: LaunchContext,
    private readonly surroundings: Surroundings,
  ) {}

  /** Starts the services that own data, and the training worker's agent, as one process: see control-plane-main.ts. */
  startControlPlane(): void {
    const { stage, dataDir } = this.context;
    const owned = { ...this.surroundings.databases, ...this.#secretKey() };
    const services: [app: string, own: Record<string, string>][] = [
      ['keys-service', { ...owned, KEY_PEPPERS: this.#pepper() }],
      ['deployments-service', { ...owned, ...this.#allowLists() }],
    ];
    if (stage.options.tuning) {
      const folders = { TRAINING_DIR: join(dataDir.path, 'training'), TRAINERS_DIR: join(dataDir.path, 'trainers') };
      services.push(['tuning-service', { ...owned, BLOB_DIR: dataDir.blobs, GATEWAY_URL: stage.localUrl }]);
      services.push(['training-worker', { ...folders, MODEL_DIRS: this.#allowLists()['MODEL_DIRS'] ?? '' }]);
    }
    const environments = Object.fromEntries(services.map(([app, own]) => [app, { ...this.#environmentOf(app), ...own }]));
    const devices = stage.options.tuning ? deviceEnvironment(this.context) : {};
    const env = { ...plainEnvironment(this.context), ...ONE_HEAP, ...devices, ...pick(stage.environment, PROXIES) };
    this.#startProcess(
      join(stage.root, 'apps/launcher/dist/control-plane-main.js'),
      { ...env, SERVICES: JSON.stringify(environments) },
      SMALL,
      {
        name: CONTROL_PLANE,
        ...SERVICES,
      },
    );
  }

  startWorkers(): void {
    const { stage, dataDir } = this.context;
    const env = { ...deviceEnvironment(this.context), ...this.#allowLists(), MODEL_CACHE_DIR: dataDir.models };
    for (let n = 1; n <= stage.options.workers; n += 1) this.#start('inference-worker', env, { name: `worker-${n}`, ...WORKERS });
  }

  async startGateways(): Promise<HttpAddress[]> {
    const { stage } = this.context;
    const host = stage.environment['HOST'] || '127.0.0.1';
    const gateways: HttpAddress[] = [];
    let port = stage.options.port;
    this.#assignedPorts.add(port);
    for (let n = 1; n <= stage.options.gateways; n += 1) {
      if (n > 1) port = await this.#nextFreePort(host, n === 2 ? port + 2 : port + 1);
      const env = { HOST: host, PORT: String(port), KEY_PEPPERS: this.#pepper(), ...this.#secretKey() };
      this.#start('gateway', env, { name: `gateway-${n}`, ...GATEWAYS });
      const url = new URL(stage.localUrl);
      url.port = String(port);
      gateways.push({ name: `gateway-${n}`, url: url.origin });
    }
    return gateways;
  }

  /** Starts the console on the port after the first gateway, or the next free one. To be called after `startGateways`. */
  async startConsole(): Promise<HttpAddress> {
    const { stage } = this.context;
    const host = stage.environment['CONSOLE_HOST'] || '127.0.0.1';
    const named = Number(stage.environment['CONSOLE_PORT'] || 0);
    const port = named > 0 ? named : await this.#nextFreePort(host, stage.options.port + 1);
    const addresses = { PUBLIC_BASE_URL: stage.environment['PUBLIC_BASE_URL'] || stage.localUrl, GATEWAY_URL: stage.localUrl };
    this.#start('console', { ...addresses, CONSOLE_HOST: host, CONSOLE_PORT: String(port) }, { name: 'console', ...GATEWAYS });
    return { name: 'console', url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}` };
  }

  async #nextFreePort(host: string, from: number): Promise<number> {
    for (let port = from; port <= Math.min(from + 1_000, 65_535); port += 1) {
      if (this.#assignedPorts.has(port) || (await portProblem(host, port)) !== null) continue;
      this.#assignedPorts.add(port);
      return port;
    }
    throw new StartError(`No free port above ${from} is left.`);
  }

  #pepper(): string {
    return this.context.stage.environment['KEY_PEPPERS'] || this.context.secrets.pepper;
  }

  #secretKey(): Record<string, string> {
    const { stage, secrets } = this.context;
    return { SLIPWAY_SECRET_KEY: stage.environment['SLIPWAY_SECRET_KEY'] || secrets.secretKey };
  }

  #allowLists(): Record<string, string> {
    const { stage, state } = this.context;
    const allowed = state.state;
    const own = (name: string): string[] => (stage.environment[name] ? [stage.environment[name]] : []);
    const local = localEngineHosts(stage.environment);
    return {
      MODEL_DIRS: [...allowed.model_dirs, ...own('MODEL_DIRS')].join(','),
      MODEL_HOSTS: [...allowed.model_hosts, ...own('MODEL_HOSTS')].join(','),
      ENGINE_HOSTS: [...allowed.engine_hosts, ...local, ...own('ENGINE_HOSTS')].join(','),
    };
  }

  #environmentOf(app: string): Record<string, string> {
    const { context, surroundings } = this;
    const role = ROLE_OF[app];
    if (!role) throw new Error(`No role is known for ${app}.`);
    return {
      SLIPWAY_ENV: context.env,
      NATS_URL: surroundings.nats.url,
      NATS_CREDENTIALS_DIR: surroundings.nats.credentialsOf(role),
      ...(surroundings.nats.tls && pick(context.stage.environment, ['NATS_CA', 'NATS_CERT', 'NATS_KEY'])),
      OPS_PORT: '0',
      DRAIN_MS: String(DRAIN_MS),
      ...pick(context.stage.environment, [...COMMON_SETTINGS, ...(SETTINGS[app] ?? [])]),
    };
  }

  #start(app: string, own: Record<string, string>, as: Tier & { name: string }): void {
    const env = { ...plainEnvironment(this.context), ...ONE_HEAP, ...this.#environmentOf(app), ...own };
    this.#startProcess(join(this.context.stage.root, 'apps', app, 'dist/main.js'), env, FLAGS_OF[app] ?? [], as);
  }

  #startProcess(main: string, env: Record<string, string>, flags: readonly string[], as: Tier & { name: string }): void {
    const { processes, dataDir } = this.context;
    processes.start({ ...as, command: process.execPath, args: [...flags, main], cwd: dataDir.path, env });
  }
}
