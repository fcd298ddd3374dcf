import { ConfigError } from '../config/config-error.js';
import { loadConfig } from '../config/load-config.js';
import { LogThreshold } from '../log/log-threshold.js';
import { createLogger, type Logger } from '../log/logger.js';
import { checkServices } from './check-services.js';
import { type MigrateWord, migrateServices } from './migrate-services.js';
import { restoreOrderOf, restoreServices } from './restore-services.js';
import { Service } from './service.js';
import { freeStartGarbage } from './heap.js';
import type { ServiceDefinition, ServiceSchema } from './service-definition.js';

/** Time after the drain deadline before a process that hangs in its stop ends anyway, in milliseconds. */
const FORCE_AFTER_MS = 2_000;

/** Argument of a process that only checks its configuration. */
const CHECK = '--check';
/** Values of `--migrate=`, the argument of a process that only shows or runs the migrations of its database. */
const MIGRATE_WORDS: readonly MigrateWord[] = ['plan', 'apply'];

type Environment = Readonly<Record<string, string | undefined>>;

/** A service for `runServices`, with the variables that it reads its configuration from. */
export interface ServiceToRun<S extends ServiceSchema = ServiceSchema> {
  readonly definition: ServiceDefinition<S>;
  readonly environment: Environment;
}

/** What a process knows of a service that it runs, whatever its configuration. */
interface Running {
  readonly log: Logger;
  readonly drainMs: number;
  start(): Promise<void>;
  stop(drainMs: number): Promise<void>;
}

/**
 * Runs a service as this process: checks its configuration, starts it, stops it on SIGTERM or SIGINT (the second signal ends
 * the process at once) and on faults that nothing caught, then exits: 0 after an ordered stop, else 1. Wrong configuration,
 * also when it shows only at the start of a part, is written to stderr in one line per problem. With the argument `--check` the
 * process writes what is wrong with its configuration and ends, without a start: 0 when nothing is wrong, else 2. `--migrate=plan`
 * and `--migrate=apply` show and run the migrations of its database alone, `--restore=PATH` restores it from a backup.
 * @param environment usually `process.env`
 */
export const runService = <S extends ServiceSchema>(definition: ServiceDefinition<S>, environment: Environment): Promise<void> =>
  runServices([{ definition, environment }]);

/**
 * Runs several services in this process, which ends with all of them as `runService` says: they start side by side and stop
 * one after the other, the last one first. A fault that nothing caught ends them all.
 */
export const runServices = async (services: readonly ServiceToRun[]): Promise<void> => {
  if (process.argv.includes(CHECK)) process.exit(await checkServices(services));
  for (const word of MIGRATE_WORDS) {
    if (process.argv.includes(`--migrate=${word}`)) process.exit(await migrateServices(services, word));
  }
  const order = restoreOrderOf(process.argv);
  if (order) process.exit(await restoreServices(services, order));
  await runAll(services.map((service) => () => running(service)));
};

async function runAll(makers: readonly (() => Running)[]): Promise<void> {
  try {
    const services = makers.map((make) => make());
    stopOnSignals(services);
    await Promise.all(services.map((service) => service.start()));
    freeStartGarbage();
  } catch {
    process.exit(1);
  }
}

function running<S extends ServiceSchema>({ definition, environment }: ServiceToRun<S>): Running {
  const { name } = definition;
  try {
    const config = loadConfig(definition.config, environment);
    const threshold = new LogThreshold(config.LOG_LEVEL);
    const log = createLogger(name, threshold);
    const service = made(() => new Service(definition, config, { log, threshold, environment }), log);
    return {
      log,
      drainMs: config.DRAIN_MS,
      start: () => service.start().catch((error: unknown) => explain(name, error)),
      stop: (drainMs) => service.stop(drainMs),
    };
  } catch (error) {
    return explain(name, error);
  }
}

/** Writes what is wrong with a configuration, and throws the error again. */
function explain(name: string, error: unknown): never {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) process.stderr.write(`${name}: The configuration is wrong. ${problem}\n`);
  }
  throw error;
}

function made<T>(make: () => T, log: Logger): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) log.fatal({ err: error }, 'process.fault');
    throw error;
  }
}

function stopOnSignals(services: readonly Running[]): void {
  const drainMs = Math.max(...services.map((service) => service.drainMs));
  let stopping = false;
  const shutDown = (code: number): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), drainMs + FORCE_AFTER_MS).unref();
    void stopAll(services, drainMs).then(() => process.exit(code));
  };
  const fail = (error: unknown): void => {
    services[0]?.log.fatal({ err: error }, 'process.fault');
    shutDown(1);
  };
  process.on('SIGTERM', () => shutDown(0));
  process.on('SIGINT', () => shutDown(0));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}

async function stopAll(services: readonly Running[], drainMs: number): Promise<void> {
  const end = performance.now() + drainMs;
  for (const service of [...services].reverse()) await service.stop(Math.max(0, end - performance.now()));
}
