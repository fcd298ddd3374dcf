import { freePorts } from '@slipway/testing';
import type { Bus } from '../services/bus.js';
import { ServiceProcess } from '../services/service-process.js';

/** The console as a process of its own, and where it is opened. */
export class ConsoleProcess extends ServiceProcess {
  private constructor(
    bus: Bus,
    environment: Readonly<Record<string, string>>,
    readonly url: string,
  ) {
    super('console', bus, environment);
  }

  /** Starts it and waits until it takes requests. */
  static async start(bus: Bus, environment: Record<string, string> = {}): Promise<ConsoleProcess> {
    const [free = 0] = await freePorts(1);
    const port = environment['CONSOLE_PORT'] ?? String(free);
    const settings = { CONSOLE_PORT: port, DRAIN_MS: '3000', LOG_LEVEL: 'debug', ...environment };
    return new ConsoleProcess(bus, settings, `http://127.0.0.1:${port}`).ready();
  }
}
