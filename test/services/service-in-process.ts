import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceDefinition, type ServiceSchema } from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
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

/** Hashes of passwords take a thousandth of their time; a process takes the whole of it. */
const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 };

/** What each app is, loaded when the first test wants it. */
const DEFINITIONS: Readonly<Record<AppName, () => Promise<unknown>>> = {
  'keys-service': async () => (await import('../../apps/keys-service/src/keys-service.js')).keysServiceWith({ passwordCost: CHEAP }),
  'deployments-service': async () => (await import('../../apps/deployments-service/src/deployments-service.js')).deploymentsService,
  'tuning-service': async () => (await import('../../apps/tuning-service/src/tuning-service.js')).tuningService,
  'training-worker': async () => (await import('../../apps/training-worker/src/training-worker.js')).trainingWorker,
  gateway: async () => (await import('../../apps/gateway/src/gateway-service.js')).gatewayService,
  'inference-worker': async () => (await import('../../apps/inference-worker/src/inference-worker.js')).inferenceWorker,
  console: async () => (await import('../../apps/console/src/console-service.js')).consoleService,
};

/** Starts an app in this process with these settings alone. @throws ConfigError when they are wrong */
export async function startApp(app: AppName, settings: Environment, log: (line: string) => void): Promise<RunningService> {
  const definition = (await DEFINITIONS[app]()) as ServiceDefinition<ServiceSchema>;
  return startService(definition, settings, { log });
}

/**
 * An app inside the process of the test, from its build. It takes its settings as a process takes its environment, and a
 * tenth of the time of one to start. For tests of its behaviour; where a signal, a crash or the memory of a process is the
 * promise, `ServiceProcess` is the one to take.
 */
export class ServiceInProcess implements TestService {
  #output = '';
  readonly #started: Promise<RunningService>;

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
    const isShown = (line: string): boolean => environment['LOG_LEVEL'] === 'debug' || !line.startsWith(DEBUG_LINE);
    this.#started = startApp(app, settings, (line) => {
      if (isShown(line)) this.#output += line;
    });
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
    const running = await this.#started.catch(() => null);
    await running?.stop();
    return running ? 0 : 1;
  }

  async end(): Promise<void> {
    await this.stop();
  }

  async lastWords(): Promise<string> {
    await this.stop();
    return this.#output;
  }
}
