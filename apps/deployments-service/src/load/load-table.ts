import type { DeploymentId, GatewayLoad, Incarnation } from '@slipway/contracts';

/** Gateways report each 2 s; after two missed reports a figure no longer counts. In milliseconds. */
const FRESH_MS = 5_000;
const GATEWAYS_MAX = 1_000;
const DEPLOYMENTS_OF_GATEWAY_MAX = 20_000;

interface Entry {
  readonly inFlight: number;
  readonly queued: number;
  readonly reportedAt: number;
}

/** Requests of a deployment over all gateways. */
export interface Requests {
  readonly inFlight: number;
  readonly queued: number;
  /** Gateways that report any. */
  readonly gateways: number;
  /** Age of the oldest of these reports, in milliseconds; 0 without one. */
  readonly ageMs: number;
}

/** What gateways reported within the last 5 s. */
export class LoadTable {
  readonly #gateways = new Map<Incarnation, Map<DeploymentId, Entry>>();

  /** @param clock monotonic, in milliseconds */
  constructor(private readonly clock: () => number) {}

  /** Stores a report. Gateways and deployments above the bounds are left out. */
  report({ gw, loads }: GatewayLoad): void {
    this.#dropOld();
    const known = this.#gateways.get(gw);
    if (!known && this.#gateways.size >= GATEWAYS_MAX) return;
    const entries = known ?? new Map<DeploymentId, Entry>();
    const reportedAt = this.clock();
    for (const { dep, in_flight: inFlight, queued } of loads) {
      if (inFlight + queued === 0) entries.delete(dep);
      else if (entries.has(dep) || entries.size < DEPLOYMENTS_OF_GATEWAY_MAX) entries.set(dep, { inFlight, queued, reportedAt });
    }
    if (entries.size === 0) this.#gateways.delete(gw);
    else this.#gateways.set(gw, entries);
  }

  /** The requests of a deployment over all gateways. */
  of(dep: DeploymentId): Requests {
    const now = this.clock();
    const entries = [...this.#gateways.values()].flatMap((loads) => {
      const entry = loads.get(dep);
      return entry && now - entry.reportedAt <= FRESH_MS ? [entry] : [];
    });
    return {
      inFlight: entries.reduce((sum, { inFlight }) => sum + inFlight, 0),
      queued: entries.reduce((sum, { queued }) => sum + queued, 0),
      gateways: entries.length,
      ageMs: Math.max(0, ...entries.map(({ reportedAt }) => now - reportedAt)),
    };
  }

  #dropOld(): void {
    const now = this.clock();
    for (const [gw, entries] of this.#gateways) {
      for (const [dep, { reportedAt }] of entries) if (now - reportedAt > FRESH_MS) entries.delete(dep);
      if (entries.size === 0) this.#gateways.delete(gw);
    }
  }
}
