import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';

/** Deletes a stopped or failed deployment for good, its aliases with it. */
export const DeleteDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.delete-deployment',
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
  /** `aliases`: those that went with it. */
  reply: z.object({ deployment: DeploymentId, aliases: z.array(AliasName) }),
  errors: ['deployment_not_found', 'deployment_not_stopped', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
