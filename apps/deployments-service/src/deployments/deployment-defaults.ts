import type { ModelSource } from '@slipway/contracts';

/** Requests at once that an HTTP engine gets: it queues and batches by itself. */
const HTTP_SLOTS = 256;
/** One agent may be lost without a gap in service; it costs no memory. */
const HTTP_REPLICAS = 2;

export interface DeploymentDefaultsOptions {
  /** Requests that one replica of a model in llama.cpp serves at once. */
  readonly llamaSlots: number;
  /** The most that owners may ask for: a default is no more. */
  readonly slotsMax: number;
  readonly replicasMax: number;
}

/** What a deployment gets whose owner does not say. */
export class DeploymentDefaults {
  constructor(private readonly options: DeploymentDefaultsOptions) {}

  slots(source: ModelSource): number {
    return Math.min(this.options.slotsMax, source.kind === 'http' ? HTTP_SLOTS : this.options.llamaSlots);
  }

  replicas(source: ModelSource): number {
    return Math.min(this.options.replicasMax, source.kind === 'http' ? HTTP_REPLICAS : 1);
  }
}
