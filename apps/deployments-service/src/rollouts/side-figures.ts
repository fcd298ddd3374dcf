import { Inject, Injectable } from '@nestjs/common';
import { CompareDeployments, isServiceError, type RolloutFigures } from '@slipway/contracts';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import { type BothSides, sideOf } from './guard.js';
import type { Rollout } from './rollouts.repository.js';

/** Figures of a step, and as people see them. */
export interface StepFigures {
  readonly sides: BothSides;
  readonly shown: RolloutFigures;
}

/** Reads what the requests of an alias came to, by deployment, from the ledger of keys-service. */
@Injectable()
export class SideFigures {
  #silent = false;

  constructor(
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn' | 'info'>,
  ) {}

  /** Figures since the present step began; null while the ledger does not answer. */
  async of({ account, alias, stable, candidate, countedFrom }: Rollout): Promise<StepFigures | null> {
    try {
      const request = { account, alias, deployments: [stable, candidate], from: countedFrom.toISOString() };
      const { figures, as_of } = await this.rpc.call(CompareDeployments, request);
      const [first, second] = figures;
      if (!first || !second) throw new Error('The ledger left out a deployment.');
      if (this.#silent) this.log.info('rollouts.figures_back');
      this.#silent = false;
      return { sides: { stable: first, candidate: second }, shown: { stable: sideOf(first), candidate: sideOf(second), as_of } };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      if (!this.#silent) this.log.warn({ err: error }, 'rollouts.no_figures');
      this.#silent = true;
      return null;
    }
  }
}
