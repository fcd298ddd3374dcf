import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';
import { DeploymentName } from './deployment-name.js';
import { ModelSource } from './model-source.js';
import { ContextSize, DefaultMaxTokens, EngineCredential, IdempotencyKey, SlotCount, ThreadCount } from './serving-settings.js';

/** Makes a deployment that is wanted ready at once. */
export const CreateDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.create-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    name: DeploymentName,
    source: ModelSource,
    credential: EngineCredential.optional(),
    context: ContextSize.optional(),
    slots: SlotCount.optional(),
    threads: ThreadCount.optional(),
    replicas: z.int().min(1).max(64).optional(),
    default_max_tokens: DefaultMaxTokens.optional(),
    /** The same key again makes no second deployment: the reply names the one that it made before. */
    idempotency_key: IdempotencyKey.optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ id: DeploymentId }),
  errors: ['source_not_allowed', 'quota_exceeded', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
