import type { ModelSource } from '@slipway/contracts';

/** Requests at once that an HTTP engine gets: it queues and batches by itself. */
const HTTP_SLOTS = 64;
/** One agent may be lost without a gap in service; it costs no memory. */
const HTTP_REPLICAS = 2;

/** What a deployment gets whose owner does not say. */
export class DeploymentDefaults {
  /** @param llamaSlots requests that one replica of a model in llama.cpp serves at once. */
  constructor(private readonly llamaSlots: number) {}

  slots(source: ModelSource): number {
    return source.kind === 'http' ? HTTP_SLOTS : this.llamaSlots;
  }

  replicas(source: ModelSource): number {
    return source.kind === 'http' ? HTTP_REPLICAS : 1;
  }
}
