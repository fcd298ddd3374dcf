import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';

/** Sets how many agents a deployment runs on. Repeating it is harmless. */
export const ScaleDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.scale-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    deployment: DeploymentId,
    replicas: z.int().min(1).max(64),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ deployment: DeploymentId, replicas: z.int().positive() }),
  errors: ['deployment_not_found', 'quota_exceeded', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
