import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';
import { ObservedState } from './deployment-state.js';
import { RequestedSource } from './model-source.js';
import { ReplicaRange, RequestedReplicas } from './replica-range.js';
import { RequestedAdapter } from './served-adapter.js';

/**
 * Name of a deployment: 1 to 100 characters after trimming. Characters that could break a line, a terminal or the reading
 * direction of a list are refused.
 */
export const DeploymentName = z
  .string()
  .trim()
  .min(1, 'Give the deployment a name.')
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');

/** A caller's name for one creation, unique in its account. */
const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'An idempotency key has 1 to 128 visible ASCII characters.');
/** Credential of an HTTP engine. Stored encrypted, never returned. */
export const EngineCredential = z.string().min(1).max(4_096);
/** Tokens per sequence; absent = the model's own. */
const ContextSize = z.int().min(64).max(10_000_000);
/** Requests served at once by one replica. */
const SlotCount = z.int().min(1).max(1_024);
/** Threads of one replica of a model in llama.cpp. */
const ThreadCount = z.int().min(1).max(1_024);
/** Limit for answers whose request names none. */
const DefaultMaxTokens = z.int().positive();

/**
 * Whether responses of the responses contract are stored for an hour, for requests that refer to them. It belongs to the deployment
 * and makes no revision. Replicas of before 2027 ignore it.
 */
const StoreResponses = z.boolean().optional();

/** Why a revision is made, for people: at most 500 characters. Replicas of before 2027 ignore it. */
const RevisionNote = z
  .string()
  .trim()
  .max(500, 'A note has at most 500 characters.')
  .regex(/^[^\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, 'A note holds no control characters.')
  .optional();

/** What all commands to deployments-service have in common. */
const command = {
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  timeoutMs: 3_000,
} as const;

/** Fields of a command to one deployment. */
const target = { account: AccountId, deployment: DeploymentId, ...actorField };

/**
 * Makes a deployment and loads it at once. It serves a model, named by `source`, or an adapter on its base. tuning-service makes
 * those that a training job is to end with.
 */
export const CreateDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.create-deployment',
  ...command,
  callers: [...command.callers, 'tuning'],
  trusted: ['tuning'],
  request: z.object({
    account: AccountId,
    name: DeploymentName,
    /** Absent with `adapter`, which brings its base, unless an HTTP engine that has this base is to serve it. */
    source: RequestedSource.optional(),
    /** Replicas of before 2027 do not know it, and refuse a request without `source`. */
    adapter: RequestedAdapter.optional(),
    credential: EngineCredential.optional(),
    context: ContextSize.optional(),
    slots: SlotCount.optional(),
    threads: ThreadCount.optional(),
    replicas: RequestedReplicas.optional(),
    default_max_tokens: DefaultMaxTokens.optional(),
    /** Absent = false. */
    store_responses: StoreResponses,
    /** A repeated key makes no second deployment: the reply names the first one. */
    idempotency_key: IdempotencyKey.optional(),
    note: RevisionNote,
    ...actorField,
  }),
  reply: z.object({ id: DeploymentId }),
  errors: ['source_not_allowed', 'adapter_not_found', 'gate_not_passed', 'quota_exceeded', 'rate_limit_exceeded'],
});

/**
 * Makes a new revision. Settings that the request does not name stay; null resets one to its default. The serving revision
 * continues until the new one is ready, or for good if that fails. An update without a change, or of the name and
 * `store_responses` alone, makes no revision.
 */
export const UpdateDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.update-deployment',
  ...command,
  request: z.object({
    ...target,
    /** Revision that the update starts from; absent = the newest. An older one without other fields is a rollback. */
    base: z.int().positive().optional(),
    /** The update is refused unless this is the newest revision; absent = no condition. */
    expected_rev: z.int().positive().optional(),
    name: DeploymentName.optional(),
    source: RequestedSource.optional(),
    /**
     * An adapter, whose base replaces the source, unless that is an HTTP engine: it stays, and gets the adapter. Null = its base
     * alone. Together with `source` only where that is an HTTP engine, or for null. Replicas of before 2027 ignore it.
     */
    adapter: RequestedAdapter.nullable().optional(),
    /** Null removes it. It is not kept when the source moves to another host or port. */
    credential: EngineCredential.nullable().optional(),
    context: ContextSize.nullable().optional(),
    slots: SlotCount.nullable().optional(),
    threads: ThreadCount.nullable().optional(),
    default_max_tokens: DefaultMaxTokens.nullable().optional(),
    /** False removes what is stored. */
    store_responses: StoreResponses,
    /** Kept with the new revision; without a new revision it is ignored. */
    note: RevisionNote,
  }),
  /** `rev`: the newest revision now. `changed`: whether this request made it. */
  reply: z.object({ deployment: DeploymentId, rev: z.int().positive(), changed: z.boolean(), state: ObservedState }),
  errors: ['deployment_not_found', 'source_not_allowed', 'adapter_not_found', 'gate_not_passed', 'rate_limit_exceeded'],
});

/** Sets how many agents a deployment runs on, or between which numbers its load decides. Repeating it is harmless. */
export const ScaleDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.scale-deployment',
  ...command,
  request: z.object({ ...target, replicas: RequestedReplicas }),
  reply: z.object({
    deployment: DeploymentId,
    /** How many it is to have now. */
    replicas: z.int().positive(),
    /** Null = the number is fixed. Absent from older replicas, which know no ranges. */
    replica_range: ReplicaRange.nullable().optional(),
  }),
  errors: ['deployment_not_found', 'quota_exceeded', 'rate_limit_exceeded'],
});

/**
 * Refuses new requests at once, gives running ones a grace period, then unloads. A rollout whose candidate it is is rolled back first;
 * the stable deployment of a running rollout is not stopped. Repeating it is harmless.
 */
export const StopDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.stop-deployment',
  ...command,
  request: z.object(target),
  reply: z.object({ deployment: DeploymentId, state: ObservedState }),
  errors: ['deployment_not_found', 'rollout_in_progress', 'rate_limit_exceeded'],
});

/**
 * Starts a stopped deployment. A failed or degraded one is tried again at once, without its back-off. Repeating it is harmless.
 */
export const ResumeDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.resume-deployment',
  ...command,
  request: z.object(target),
  reply: z.object({ deployment: DeploymentId, state: ObservedState }),
  errors: ['deployment_not_found', 'rate_limit_exceeded'],
});

/** Deletes a stopped or failed deployment for good, its aliases with it. Rollouts as in `StopDeployment`. */
export const DeleteDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.delete-deployment',
  ...command,
  request: z.object(target),
  /** `aliases`: the aliases deleted with it. */
  reply: z.object({ deployment: DeploymentId, aliases: z.array(AliasName) }),
  errors: ['deployment_not_found', 'deployment_not_stopped', 'rollout_in_progress', 'rate_limit_exceeded'],
});
