import 'reflect-metadata';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, Lifecycle, loadConfig, type LogLevel } from '@slipway/platform';
import { until } from '../testing/until.js';
import { ENV } from './bus.js';
import type { AppName, NatsAddress, TestService } from './test-service.js';

/** Only bounds a failure: a busy machine takes its time. */
const READY_WITHIN_MS = 60_000;
/** How long running requests may take at a stop, in milliseconds: no test needs the default. */
const DRAIN_MS = '500';
/** How a line below the level `info` begins. */
const DEBUG_LINE = '{"level":"debug"';

type Environment = Readonly<Record<string, string>>;

/** Begins what an app's `main.ts` does, without signals and without an exit. */
async function beginApp(app: AppName, environment: Environment, write: (line: string) => void): Promise<Begun> {
  const { config: schema, parts } = await PARTS[app]();
  const config = loadConfig(schema, environment) as { LOG_LEVEL: LogLevel; DRAIN_MS: number };
  const log = createLogger(app, 'silent', (line) => {
    if (config.LOG_LEVEL === 'debug' || !line.startsWith(DEBUG_LINE)) write(line);
  });
  const lifecycle = new Lifecycle(log, config.DRAIN_MS);
  return { lifecycle, started: lifecycle.start(parts(config as never, log, lifecycle)) };
}

interface Begun {
  readonly lifecycle: Lifecycle;
  readonly started: Promise<void>;
}

/** Each app's configuration and parts, loaded when the first test wants them. */
const PARTS = {
  'keys-service': async () => ({
    config: (await import('../../apps/keys-service/src/config.js')).KeysConfig,
    parts: (await import('../../apps/keys-service/src/service-parts.js')).serviceParts,
  }),
  'deployments-service': async () => ({
    config: (await import('../../apps/deployments-service/src/config.js')).DeploymentsServiceConfig,
    parts: (await import('../../apps/deployments-service/src/service-parts.js')).serviceParts,
  }),
  gateway: async () => ({
    config: (await import('../../apps/gateway/src/config.js')).GatewayConfig,
    parts: (await import('../../apps/gateway/src/gateway-parts.js')).gatewayParts,
  }),
  'inference-worker': async () => ({
    config: (await import('../../apps/inference-worker/src/config.js')).WorkerConfig,
    parts: (await import('../../apps/inference-worker/src/worker-parts.js')).workerParts,
  }),
  console: async () => ({
    config: (await import('../../apps/console/src/config.js')).ConsoleConfig,
    parts: (await import('../../apps/console/src/console-parts.js')).consoleParts,
  }),
};

/**
 * An app inside the process of the test, run from source. It takes its settings as a process takes its environment, and a
 * tenth of the time of one to start. For tests of its behaviour; where a signal, a crash or the memory of a process is the
 * promise, `ServiceProcess` is the one to take.
 */
export class ServiceInProcess implements TestService {
  #output = '';
  readonly #begun: Promise<Begun>;
  readonly #started: Promise<void>;

  constructor(
    readonly app: AppName,
    { url, credentialsDir }: NatsAddress,
    environment: Environment,
  ) {
    const settings = {
      SLIPWAY_ENV: ENV,
      NATS_URL: url,
      ...(credentialsDir !== undefined && { NATS_CREDENTIALS_DIR: credentialsDir }),
      DRAIN_MS,
      MODEL_CACHE_DIR: join(credentialsDir ?? tmpdir(), 'models'),
      ...environment,
    };
    this.#begun = beginApp(app, settings, (line) => (this.#output += line));
    this.#started = this.#begun.then(({ started }) => started);
    this.#started.catch(() => undefined);
  }

  get output(): string {
    return this.#output;
  }

  logged(event: string): boolean {
    return this.#output.includes(`"event":"${event}"`);
  }

  port(event: string): number | undefined {
    const port = new RegExp(`"port":(\\d+),"event":"${event}"`).exec(this.#output)?.[1];
    return port === undefined ? undefined : Number(port);
  }

  async ready(): Promise<this> {
    await this.#started;
    await until(`${this.app} is ready`, async () => (await this.readiness()).status === 200, READY_WITHIN_MS).catch((cause: unknown) => {
      throw new Error(this.#output, { cause });
    });
    return this;
  }

  async readiness(): Promise<{ readonly status: number; readonly text: string }> {
    const port = this.port('ops.listening');
    const answer = port === undefined ? null : await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
  }

  async stop(): Promise<number> {
    const begun = await this.#begun.catch(() => null);
    await begun?.lifecycle.stop();
    return this.#started.then(
      () => 0,
      () => 1,
    );
  }

  async end(): Promise<void> {
    await this.stop();
  }

  async lastWords(): Promise<string> {
    await this.stop();
    return this.#output;
  }
}
