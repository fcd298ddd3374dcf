import { SLIPWAY_VERSION } from '../config/version.js';
import { ConfigError } from '../config/config-error.js';
import type { Logger } from '../log/logger.js';

/** States of a service; /readyz shows all but `ready`. */
export type LifecycleState = 'starting' | 'ready' | 'draining' | 'stopped';

/** A part of a service with an orderly start and stop. */
export interface Part {
  readonly name: string;
  start?(): Promise<void> | void;
  /** @param deadlineMs milliseconds left for this and all parts still to stop. */
  stop?(deadlineMs: number): Promise<void> | void;
}

/** Starts parts in order and stops those that started in reverse, under one deadline. */
export class Lifecycle {
  #state: LifecycleState = 'starting';
  readonly #started: Part[] = [];
  #stopping: Promise<void> | undefined;

  readonly #log: Logger;
  readonly #drainMs: number;

  /** @param drainMs how long `stop` may take by default */
  constructor(log: Logger, drainMs: number) {
    this.#log = log;
    this.#drainMs = drainMs;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /**
   * Starts all parts; after a failure those that started are stopped again.
   * @throws what the failing part threw; it is logged, unless it is a ConfigError.
   */
  async start(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      if (this.#state !== 'starting') return;
      try {
        await part.start?.();
      } catch (error) {
        this.#logFailure(part, error);
        await this.stop();
        throw error;
      }
      this.#started.push(part);
    }
    if (this.#state !== 'starting') return;
    this.#state = 'ready';
    this.#log.info({ version: SLIPWAY_VERSION }, 'lifecycle.ready');
  }

  /** Stops everything once; further calls wait for the same stop. A part that fails does not keep others from stopping. */
  stop(drainMs = this.#drainMs): Promise<void> {
    this.#stopping ??= this.#stopAll(drainMs);
    return this.#stopping;
  }

  /** Only a fault of ours needs its stack. Wrong configuration is reported by whoever started the service. */
  #logFailure({ name: part }: Part, error: unknown): void {
    if (error instanceof ConfigError) return;
    const refused = error instanceof Error && 'syscall' in error;
    this.#log.error(refused ? { part, reason: error.message } : { part, err: error }, 'lifecycle.start_failed');
  }

  async #stopAll(drainMs: number): Promise<void> {
    this.#state = 'draining';
    this.#log.info('lifecycle.draining');
    const end = performance.now() + drainMs;
    for (const part of [...this.#started].reverse()) {
      try {
        await part.stop?.(Math.max(0, end - performance.now()));
      } catch (error) {
        this.#log.error({ part: part.name, err: error }, 'lifecycle.stop_failed');
      }
    }
    this.#state = 'stopped';
    this.#log.info('lifecycle.stopped');
  }
}
