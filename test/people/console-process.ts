import { freePorts } from '@slipway/testing';
import type { TestBus } from '../keys/keys-rig.js';
import { ServiceProcess } from '../services/service-process.js';

/** The console as a process of its own, and where it is opened. */
export class ConsoleProcess extends ServiceProcess {
  private constructor(
    bus: TestBus,
    environment: Readonly<Record<string, string>>,
    readonly url: string,
  ) {
    super('console', { url: bus.server.url, credentialsDir: bus.credentialsDir }, environment);
  }

  /** Starts it and waits until it takes requests. */
  static async start(bus: TestBus, environment: Record<string, string> = {}): Promise<ConsoleProcess> {
    const [free = 0] = await freePorts(1);
    const port = environment['CONSOLE_PORT'] ?? String(free);
    const settings = { CONSOLE_PORT: port, DRAIN_MS: '3000', LOG_LEVEL: 'debug', ...environment };
    return new ConsoleProcess(bus, settings, `http://127.0.0.1:${port}`).ready();
  }
}
