import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Actor } from '../identity/audit.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';
import { ObservedState } from './deployment-state.js';
import { RequestedSource } from './model-source.js';

/**
 * Name that a person gives a deployment: 1 to 100 characters after trimming. What could break a line,
 * a terminal or the reading direction of a list is refused.
 */
export const DeploymentName = z
  .string()
  .trim()
  .min(1, 'Give the deployment a name.')
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');

/** A caller's own name for one creation, of its account alone. */
const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'An idempotency key has 1 to 128 visible ASCII characters.');
/** Credential of an HTTP engine. Stored encrypted, never returned. */
export const EngineCredential = z.string().min(1).max(4_096);
/** Tokens per sequence; absent = the model's own. */
const ContextSize = z.int().min(64).max(10_000_000);
/** Requests served at once by one replica. */
const SlotCount = z.int().min(1).max(1_024);
/** Threads of one replica of a model in llama.cpp. */
const ThreadCount = z.int().min(1).max(1_024);
/** Upper bound of an answer whose request names none. */
const DefaultMaxTokens = z.int().positive();

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
    source: RequestedSource,
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
    source: RequestedSource.optional(),
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

/** New requests are refused at once, running ones get a grace period, then it is unloaded. Repeating it is harmless. */
export const StopDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.stop-deployment',
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
