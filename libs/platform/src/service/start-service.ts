import type { InjectionToken } from '@nestjs/common';
import type { z } from 'zod';
import { loadConfig } from '../config/load-config.js';
import { LogThreshold } from '../log/log-threshold.js';
import { createLogger } from '../log/logger.js';
import { Service } from './service.js';
import type { ServiceDefinition, ServiceSchema } from './service-definition.js';

/** What a test learns from a service that it started. */
export interface StartOptions {
  /** Gets every line of the log from level `debug` on, as JSON. */
  readonly log?: (line: string) => void;
  /** Called when a NATS connection is closed for good, after which a process would end. Absent: it is thrown and fails the test. */
  readonly fault?: (error: Error) => void;
}

/** A service that runs inside this process. */
export interface RunningService {
  readonly name: string;
  /** The port of /livez, /readyz and /metrics. */
  readonly opsPort: number;
  /** The port of the HTTP door. @throws Error for a service without one */
  readonly port: number;
  /** Why it should get no requests, as /readyz says; null = it is ready. */
  notReady(): string | null;
  /** The figures of /metrics, of this instance alone. */
  metrics(): Promise<string>;
  /** A provider of its container, such as `get(KeysService)`. @throws Error for an unknown token */
  get<T>(token: InjectionToken<T>): T;
  /**
   * Stops it in order: the door closes, running requests end, then everything else. A second call waits for the first.
   * @param drainMs how long that may take, in milliseconds; DRAIN_MS of its configuration unless given
   */
  stop(drainMs?: number): Promise<void>;
}

/**
 * Starts a service inside this process, which is meant for tests: several services, and several instances of one, run side by
 * side. Nothing reads the environment, listens for signals or ends the process.
 *
 *     const keys = await startService(keysService, { NATS_URL: nats.url, DATABASE_URL: postgres.url, KEY_PEPPERS: PEPPERS, … });
 *     await expect.poll(() => keys.notReady()).toBeNull();
 *     await keys.stop();
 *
 * Ready is not the same as started: what a service follows from others, such as a feed, comes after. Poll `notReady()`.
 * @param configuration what the environment would hold, unchecked, by the same names. Ports of 0 are free ones: OPS_PORT is 0
 *   unless set, ports of HTTP doors have other defaults. Without LOG_LEVEL nothing is written to stdout.
 * @throws ConfigError for a wrong configuration; what a part threw that could not start, after the others were stopped
 */
export async function startService<S extends ServiceSchema>(
  definition: ServiceDefinition<S>,
  configuration: z.input<S>,
  { log: tee, fault }: StartOptions = {},
): Promise<RunningService> {
  const config = loadConfig(definition.config, configuration);
  const isLoud = tee === undefined && (configuration as Record<string, unknown>)['LOG_LEVEL'] !== undefined;
  const threshold = new LogThreshold(isLoud ? config.LOG_LEVEL : 'silent');
  const service = new Service(definition, config, {
    log: createLogger(definition.name, threshold, tee),
    threshold,
    environment: configuration,
    fault,
  });
  await service.start();
  // Still known once nothing listens any more.
  const { opsPort } = service;
  const port = definition.http ? service.port : undefined;
  return {
    name: definition.name,
    opsPort,
    get port() {
      if (port === undefined) throw new Error(`${definition.name} has no HTTP door.`);
      return port;
    },
    notReady: () => service.notReady(),
    metrics: () => service.metrics.metrics(),
    get: (token) => service.get(token),
    stop: (drainMs) => service.stop(drainMs),
  };
}
