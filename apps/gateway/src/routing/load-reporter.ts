import { type DeploymentId, GATEWAY_LOAD_MS, GATEWAY_LOADS_MAX, GatewayLoad, type Incarnation, subjectOf } from '@slipway/contracts';
import { eachSecond, type NatsConnection } from '@slipway/platform';
import type { Router } from './router.service.js';

/** Share of the time between two reports after which the next one may be sent, with the other work of its second. */
const EARLIEST = 0.75;

export interface LoadReporterOptions {
  readonly nats: Pick<NatsConnection, 'publish' | 'isClosed'>;
  readonly env: string;
  readonly gw: Incarnation;
  readonly router: Pick<Router, 'loads'>;
}

/**
 * Reports the requests of each deployment to deployments-service, from counters that routing keeps anyway. Without traffic it
 * sends nothing.
 */
export class LoadReporter {
  readonly #subject: string;
  /** Deployments with requests in the last report: they are reported once more when these are over. */
  #reported: ReadonlySet<DeploymentId> = new Set();
  #reportedAt = Number.NEGATIVE_INFINITY;
  #endSeconds: (() => void) | undefined;

  constructor(private readonly options: LoadReporterOptions) {
    this.#subject = subjectOf(GatewayLoad, { env: options.env, gw: options.gw });
  }

  start(): void {
    this.#endSeconds = eachSecond(() => {
      if (performance.now() - this.#reportedAt >= GATEWAY_LOAD_MS * EARLIEST) this.report();
    });
  }

  /** Reports a last time, so that the figures of a stopped gateway do not have to expire. */
  stop(): void {
    this.#endSeconds?.();
    this.report();
  }

  /** Sends one report, if there is something to report. */
  report(): void {
    const { nats, gw, router } = this.options;
    this.#reportedAt = performance.now();
    const present = router.loads();
    if ((present.size === 0 && this.#reported.size === 0) || nats.isClosed()) return;
    const over = [...this.#reported].filter((dep) => !present.has(dep));
    const loads: GatewayLoad['loads'] = [
      ...[...present].map(([dep, { inFlight, queued }]) => ({ dep, in_flight: inFlight, queued })),
      ...over.map((dep) => ({ dep, in_flight: 0, queued: 0 })),
    ];
    this.#reported = new Set(present.keys());
    for (let i = 0; i < loads.length; i += GATEWAY_LOADS_MAX) {
      nats.publish(this.#subject, JSON.stringify({ gw, loads: loads.slice(i, i + GATEWAY_LOADS_MAX) } satisfies GatewayLoad));
    }
  }
}
