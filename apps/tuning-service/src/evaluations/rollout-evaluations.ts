import { Injectable } from '@nestjs/common';
import type { EvaluateRollout, EvaluationId } from '@slipway/contracts';
import type { z } from 'zod';
import { EvaluationsService } from './evaluations.service.js';

type Request = z.output<typeof EvaluateRollout.request>;

/** Evaluations that deployments-service orders for rollouts. */
@Injectable()
export class RolloutEvaluations {
  constructor(private readonly evaluations: EvaluationsService) {}

  /**
   * How far the evaluation of a rollout is; the first call makes it.
   * @throws ServiceError as `CreateEvaluation`; `evaluation_not_found` when it was deleted
   */
  async evaluate(request: Request): Promise<z.input<typeof EvaluateRollout.reply>> {
    const { account, candidate } = request;
    const id = request.evaluation ?? (await this.#make(request));
    const { evaluation } = await this.evaluations.find({ account, evaluation: id });
    const { suite_name, state, detail, done, total, graders, deployments, results } = evaluation;
    return {
      ...{ evaluation: id, suite_name, state, detail, done, total },
      has_changed: deployments.some(({ has_changed }) => has_changed),
      graders: graders.map(({ kind }) => kind),
      result: results.find(({ deployment }) => deployment === candidate) ?? null,
    };
  }

  async #make({ account, rollout, suite, stable, candidate, actor }: Request): Promise<EvaluationId> {
    // The space keeps it apart from every key that a client may name.
    const key = `rollout ${rollout}`;
    const request = { account, suite, deployments: [stable, candidate], idempotency_key: key, actor };
    return (await this.evaluations.create(request)).evaluation as EvaluationId;
  }
}
