import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';
import { ObservedState } from './deployment-state.js';

/**
 * Wants a stopped deployment ready again. One that has failed, or answers only in part, is tried again at once,
 * without the pause that its failures earned it. Repeating it is harmless.
 */
export const ResumeDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.resume-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    deployment: DeploymentId,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ deployment: DeploymentId, state: ObservedState }),
  errors: ['deployment_not_found', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
