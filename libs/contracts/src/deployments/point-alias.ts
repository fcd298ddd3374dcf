import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';

/** Creates an alias or points it at another deployment of the same account. Repeating it is harmless. */
export const PointAlias = defineRpc({
  subject: 'dep.{env}.v1.rpc.point-alias',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    alias: AliasName,
    deployment: DeploymentId,
    /**
     * The deployment that the alias may be taken from, null for none: one that points at any other by then stays there and
     * the answer is `alias_taken`. Absent: it is taken from whichever has it.
     */
    from: DeploymentId.nullable().optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ alias: AliasName, deployment: DeploymentId }),
  errors: ['deployment_not_found', 'alias_taken', 'quota_exceeded', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
