import type { Logger } from '../log/logger.js';
import type { Lifecycle, Part } from './lifecycle.js';

/** Time after the drain deadline before a process that hangs in its stop ends anyway, in milliseconds. */
const FORCE_AFTER_MS = 2_000;

export interface ProcessOptions {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly drainMs: number;
  readonly parts: readonly Part[];
}

/**
 * Runs a service as this process: starts its parts, stops them on SIGTERM or SIGINT (the second
 * signal ends at once) and on faults that nobody caught, then exits: 0 after an ordered stop, else 1.
 */
export async function runProcess({ log, lifecycle, drainMs, parts }: ProcessOptions): Promise<void> {
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
  try {
    await lifecycle.start(parts);
  } catch {
    process.exit(1);
  }
}
