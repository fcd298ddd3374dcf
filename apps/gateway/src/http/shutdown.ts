import type { Server } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { CONFIG } from '@slipway/platform';
import type { GatewayConfig } from '../config.js';
import type { InferenceService } from '../inference/inference.service.js';
import type { RequestsInFlight } from './requests-in-flight.js';

/** Part of the drain time reserved for last error events and closing connections, in milliseconds. */
const LAST_EVENTS_MS = 500;
/** Interval at which a drain closes idle connections, in milliseconds. */
const IDLE_CHECK_MS = 250;

/** What a drain ends. */
export interface Drained {
  readonly servers: readonly Server[];
  readonly inFlight: RequestsInFlight;
  readonly inference: InferenceService;
}

/** Graceful shutdown of the HTTP server: running requests go on, and what is not over at the deadline gets an error. */
@Injectable()
export class Shutdown {
  readonly #graceMs: number;
  #phase: 'no' | 'closing' | 'refusing' = 'no';

  constructor(@Inject(CONFIG) { SHUTDOWN_GRACE_MS: graceMs }: GatewayConfig) {
    this.#graceMs = graceMs;
  }

  /** `closing` = responses carry `Connection: close`; `refusing` = new inference requests also get an error. */
  get phase(): 'no' | 'closing' | 'refusing' {
    return this.#phase;
  }

  /** Waits for requests in flight, those with an incomplete body included. Every request gets a response. */
  async drain({ servers, inFlight, inference }: Drained, deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    this.#phase = 'closing';
    inFlight.closeConnections();
    const grace = Math.min(this.#graceMs, deadlineMs / 2);
    if (grace > 0) await new Promise((resolve) => setTimeout(resolve, grace));
    this.#phase = 'refusing';
    const closeIdle = (): void => {
      for (const server of servers) server.closeIdleConnections();
    };
    closeIdle();
    const idleCheck = setInterval(closeIdle, IDLE_CHECK_MS);
    await inFlight.whenEmpty(end - performance.now() - LAST_EVENTS_MS);
    const error = new ServiceError('server_shutting_down', 'This gateway is shutting down; send the request again.', { retryAfterS: 1 });
    inference.stopAll(error);
    inFlight.failPending(error);
    await inFlight.whenEmpty(LAST_EVENTS_MS);
    clearInterval(idleCheck);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}
