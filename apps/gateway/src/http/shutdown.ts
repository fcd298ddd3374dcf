import type { Server } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { CONFIG } from '@slipway/platform';
import type { GatewayConfig } from '../config.js';
import type { InferenceService } from '../inference/inference.service.js';
import type { Exchanges } from './exchanges.js';

/** What is kept of a drain's time for the last error events and the closing of connections, in milliseconds. */
const LAST_EVENTS_MS = 500;
/** During a drain, connections that have fallen idle are closed this often, in milliseconds. */
const IDLE_CHECK_MS = 250;

/** What a drain ends. */
export interface Drained {
  readonly servers: readonly Server[];
  readonly exchanges: Exchanges;
  readonly inference: InferenceService;
}

/** How the HTTP door ends: requests that were begun go on, and what is not over at the deadline gets an error. */
@Injectable()
export class Shutdown {
  readonly #graceMs: number;
  #phase: 'no' | 'closing' | 'refusing' = 'no';

  constructor(@Inject(CONFIG) { SHUTDOWN_GRACE_MS: graceMs }: GatewayConfig) {
    this.#graceMs = graceMs;
  }

  /** `closing` = answers carry `Connection: close`; `refusing` = new inference requests are refused besides. */
  get phase(): 'no' | 'closing' | 'refusing' {
    return this.#phase;
  }

  /** Also a request whose body is still on its way may end within the time. No connection is cut without an answer. */
  async drain({ servers, exchanges, inference }: Drained, deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    this.#phase = 'closing';
    exchanges.closeConnections();
    const grace = Math.min(this.#graceMs, deadlineMs / 2);
    if (grace > 0) await new Promise((resolve) => setTimeout(resolve, grace));
    this.#phase = 'refusing';
    const closeIdle = (): void => {
      for (const server of servers) server.closeIdleConnections();
    };
    closeIdle();
    const idleCheck = setInterval(closeIdle, IDLE_CHECK_MS);
    await exchanges.whenNone(end - performance.now() - LAST_EVENTS_MS);
    const error = new ServiceError('server_shutting_down', 'This gateway is shutting down; send the request again.', { retryAfterS: 1 });
    inference.stopAll(error);
    exchanges.refuseUnanswered(error);
    await exchanges.whenNone(LAST_EVENTS_MS);
    clearInterval(idleCheck);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}
