import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId, DeploymentId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { DeploymentResult, EvaluationState } from './evaluations.js';
import { EvaluationId, SuiteId } from './tuning-ids.js';

/**
 * The evaluation of a rollout: makes it once, with stable as the baseline, and says how far it is. deployments-service repeats the call
 * until the evaluation is over.
 */
export const EvaluateRollout = defineRpc({
  subject: 'tun.{env}.v1.rpc.evaluate-rollout',
  owner: 'tuning',
  callers: ['deployments'],
  queue: 'tuning',
  request: z.object({
    account: AccountId,
    /** Number of the rollout; one evaluation is made for it. */
    rollout: z.int().positive(),
    suite: SuiteId,
    stable: DeploymentId,
    candidate: DeploymentId,
    /** As an earlier reply named it: then none is made, also when it was deleted. */
    evaluation: EvaluationId.optional(),
    ...actorField,
  }),
  reply: z.object({
    evaluation: EvaluationId,
    suite_name: z.string().max(200),
    state: enumOr(EvaluationState, 'running'),
    /** For people: why it waits or failed. */
    detail: z.string().max(500).nullable(),
    /** Answers and verdicts that are stored, and that are wanted. */
    done: z.int().nonnegative(),
    total: z.int().nonnegative(),
    /** One of both serves another revision since: its answers may be of two models, and decide nothing. */
    has_changed: z.boolean(),
    /** Kinds of the suite's graders, in their order. */
    graders: z.array(z.string().max(32)).max(16),
    /** What they say of the candidate's answers so far; null = nothing yet. */
    result: DeploymentResult.nullable(),
  }),
  errors: ['suite_not_found', 'dataset_not_found', 'deployment_not_found', 'evaluation_not_found', 'quota_exceeded', 'rate_limit_exceeded'],
  timeoutMs: 4_000,
});
