import type { z } from 'zod';
import { ConfigError } from '../config/config-error.js';
import { loadConfig } from '../config/load-config.js';
import { createLogger, type Logger, type LogLevel } from '../log/logger.js';
import { Lifecycle, type Part } from './lifecycle.js';

/** Time after the drain deadline before a process that hangs in its stop ends anyway, in milliseconds. */
const FORCE_AFTER_MS = 2_000;

/** What every service is told. */
interface ServiceConfig {
  readonly LOG_LEVEL: LogLevel;
  readonly DRAIN_MS: number;
}

export interface ProcessOptions<S extends z.ZodObject & z.ZodType<ServiceConfig>> {
  /** Name of the service in its log. */
  readonly service: string;
  /** What it is told from outside; see `serviceFragment`. */
  readonly config: S;
  /** Usually `process.env`. */
  readonly environment: NodeJS.ProcessEnv;
  /** The parts in the order of their start; they stop in reverse. */
  readonly parts: (config: z.output<S>, log: Logger, lifecycle: Lifecycle) => readonly Part[];
}

/**
 * Runs a service as this process: checks its configuration, starts its parts, stops them on SIGTERM
 * or SIGINT (the second signal ends at once) and on faults that nobody caught, then exits: 0 after an
 * ordered stop, else 1. Wrong configuration, also one that a part finds at its start, is told on
 * stderr in one line per problem.
 */
export async function runProcess<S extends z.ZodObject & z.ZodType<ServiceConfig>>(options: ProcessOptions<S>): Promise<void> {
  try {
    await run(options);
  } catch (error) {
    if (error instanceof ConfigError) {
      for (const problem of error.problems) process.stderr.write(`${options.service}: The configuration is wrong. ${problem}\n`);
    }
    process.exit(1);
  }
}

async function run<S extends z.ZodObject & z.ZodType<ServiceConfig>>({ service, config: schema, environment, parts }: ProcessOptions<S>) {
  const config = loadConfig(schema, environment);
  const log = createLogger(service, config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log, config.DRAIN_MS);
  stopOnSignals(log, lifecycle, config.DRAIN_MS);
  await lifecycle.start(makeParts(() => parts(config, log, lifecycle), log));
}

function makeParts(make: () => readonly Part[], log: Logger): readonly Part[] {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigError)) log.fatal({ err: error }, 'process.fault');
    throw error;
  }
}

function stopOnSignals(log: Logger, lifecycle: Lifecycle, drainMs: number): void {
  let stopping = false;
  const shutDown = (code: number): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), drainMs + FORCE_AFTER_MS).unref();
    void lifecycle.stop().then(() => process.exit(code));
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
