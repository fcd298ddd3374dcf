import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';
import { DeploymentName } from './deployment-name.js';
import { ObservedState } from './deployment-state.js';
import { ModelSource } from './model-source.js';
import { ContextSize, DefaultMaxTokens, EngineCredential, SlotCount, ThreadCount } from './serving-settings.js';

/**
 * Makes a new revision; what the request does not name stays as it was, and null takes a setting back
 * to its default. The revision that serves goes on until the new one is ready, and for good if that
 * fails. An update that changes nothing makes no revision, a new name alone neither.
 */
export const UpdateDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.update-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    deployment: DeploymentId,
    /** Revision whose settings stay; absent = the newest. An older one alone rolls back to it. */
    base: z.int().positive().optional(),
    /** The update is refused unless this is the newest revision; absent = whatever is newest. */
    expected_rev: z.int().positive().optional(),
    name: DeploymentName.optional(),
    source: ModelSource.optional(),
    /** Null removes it. It does not follow a source to another host or port: name it again. */
    credential: EngineCredential.nullable().optional(),
    context: ContextSize.nullable().optional(),
    slots: SlotCount.nullable().optional(),
    threads: ThreadCount.nullable().optional(),
    default_max_tokens: DefaultMaxTokens.nullable().optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  /** `rev`: the newest revision now. `changed`: whether this request made it. */
  reply: z.object({ deployment: DeploymentId, rev: z.int().positive(), changed: z.boolean(), state: ObservedState }),
  errors: ['deployment_not_found', 'source_not_allowed', 'rate_limit_exceeded'],
  timeoutMs: 3_000,
});
