import { engineOf, type ModelSource } from '@slipway/contracts';

export interface DeploymentDefaultsOptions {
  /** Requests that one replica of a loaded model serves at once, where its engine names no number of its own. */
  readonly llamaSlots: number;
  /** The most that owners may ask for: a default is no more. */
  readonly slotsMax: number;
  readonly replicasMax: number;
}

/** What a deployment gets whose owner does not say. */
export class DeploymentDefaults {
  constructor(private readonly options: DeploymentDefaultsOptions) {}

  slots(source: ModelSource): number {
    return Math.min(this.options.slotsMax, engineOf(source).slots ?? this.options.llamaSlots);
  }

  replicas(source: ModelSource): number {
    return Math.min(this.options.replicasMax, engineOf(source).replicas);
  }
}
