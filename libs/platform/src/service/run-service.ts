import { ConfigError } from '../config/config-error.js';
import { loadConfig } from '../config/load-config.js';
import { createLogger, type Logger } from '../log/logger.js';
import { Service } from './service.js';
import { freeStartGarbage } from './start-garbage.js';
import type { ServiceDefinition, ServiceSchema } from './service-definition.js';

/** Time after the drain deadline before a process that hangs in its stop ends anyway, in milliseconds. */
const FORCE_AFTER_MS = 2_000;

/**
 * Runs a service as this process: checks its configuration, starts it, stops it on SIGTERM or SIGINT (the second signal ends
 * the process at once) and on faults that nothing caught, then exits: 0 after an ordered stop, else 1. Wrong configuration,
 * also when it shows only at the start of a part, is written to stderr in one line per problem.
 * @param environment usually `process.env`
 */
export async function runService<S extends ServiceSchema>(
  definition: ServiceDefinition<S>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  try {
    const config = loadConfig(definition.config, environment);
    const log = createLogger(definition.name, config.LOG_LEVEL);
    const service = made(() => new Service(definition, config, { log }), log);
    stopOnSignals(service, log, config.DRAIN_MS);
    await service.start();
    freeStartGarbage();
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) process.stderr.write(`${definition.name}: The configuration is wrong. ${problem}\n`);
    }
    process.exit(1);
  }
}

function made<T>(make: () => T, log: Logger): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) log.fatal({ err: error }, 'process.fault');
    throw error;
  }
}

function stopOnSignals(service: { stop(): Promise<void> }, log: Logger, drainMs: number): void {
  let stopping = false;
  const shutDown = (code: number): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), drainMs + FORCE_AFTER_MS).unref();
    void service.stop().then(() => process.exit(code));
  };
  const fail = (error: unknown): void => {
    log.fatal({ err: error }, 'process.fault');
    shutDown(1);
  };
  process.on('SIGTERM', () => shutDown(0));
  process.on('SIGINT', () => shutDown(0));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}
