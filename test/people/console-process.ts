import { freePorts } from '@slipway/testing';
import { ServiceInProcess } from '../services/service-in-process.js';
import { ServiceProcess } from '../services/service-process.js';
import type { NatsAddress } from '../services/test-service.js';

type Environment = Readonly<Record<string, string>>;

/** Settings of a console on a free port, and its URL. */
async function consoleSettings(environment: Environment): Promise<{ settings: Environment; url: string }> {
  const [free = 0] = await freePorts(1);
  const port = environment['CONSOLE_PORT'] ?? String(free);
  return { settings: { CONSOLE_PORT: port, LOG_LEVEL: 'debug', ...environment }, url: `http://127.0.0.1:${port}` };
}

/** A console in the test's process, and its URL. */
export class ConsoleInProcess extends ServiceInProcess {
  private constructor(
    nats: NatsAddress,
    environment: Environment,
    readonly url: string,
  ) {
    super('console', nats, environment);
  }

  /** Starts it and waits until it accepts requests. */
  static async start(nats: NatsAddress, environment: Environment = {}): Promise<ConsoleInProcess> {
    const { settings, url } = await consoleSettings(environment);
    return new ConsoleInProcess(nats, settings, url).ready();
  }
}

/** A console in its own process, and its URL. */
export class ConsoleProcess extends ServiceProcess {
  private constructor(
    nats: NatsAddress,
    environment: Environment,
    readonly url: string,
  ) {
    super('console', nats, environment);
  }

  /** Starts it and waits until it accepts requests. */
  static async start(nats: NatsAddress, environment: Environment = {}): Promise<ConsoleProcess> {
    const { settings, url } = await consoleSettings({ DRAIN_MS: '3000', ...environment });
    return new ConsoleProcess(nats, settings, url).ready();
  }
}
