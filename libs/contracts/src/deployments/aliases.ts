import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';

/** An account's aliases, by name. */
export const ListAliases = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-aliases',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  /** `since`: when the alias was pointed at this deployment. */
  reply: z.object({ aliases: z.array(z.object({ alias: AliasName, deployment: DeploymentId, since: z.iso.datetime() })) }),
  errors: [],
  timeoutMs: 3_000,
});

/** Creates an alias or points it at another deployment of the same account. Repeating it is harmless. */
export const PointAlias = defineRpc({
  subject: 'dep.{env}.v1.rpc.point-alias',
  owner: 'deployments',
  callers: ['console', 'ops', 'tuning'],
  trusted: ['tuning'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    alias: AliasName,
    deployment: DeploymentId,
    /**
     * The deployment that the alias must point at now; null = the alias must not exist. Otherwise the answer is `alias_taken`.
     * Absent = no condition.
     */
    from: DeploymentId.nullable().optional(),
    /** Serves an adapter although its verdict is bad, for this reason; kept in the audit log. Replicas of before 2027 ignore it. */
    override: z.string().trim().min(1).max(500).optional(),
    ...actorField,
  }),
  reply: z.object({ alias: AliasName, deployment: DeploymentId }),
  errors: ['deployment_not_found', 'alias_taken', 'rollout_in_progress', 'gate_not_passed', 'quota_exceeded', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});

/** Removes an alias; requests that have resolved it keep their deployment. Repeating it is harmless. */
export const RemoveAlias = defineRpc({
  subject: 'dep.{env}.v1.rpc.remove-alias',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    alias: AliasName,
    ...actorField,
  }),
  /** `removed`: false when the account had no such alias. */
  reply: z.object({ alias: AliasName, removed: z.boolean() }),
  errors: ['rollout_in_progress', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
