import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId, Incarnation } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { ChangedBy } from './deployment-audit.js';
import { ReadDesiredState, ReadObservedState, ReadStateReason } from './deployment-state.js';
import { ModelSource } from './model-source.js';
import { ReplicaRange } from './replica-range.js';
import { DeployedAdapter } from './served-adapter.js';

/** A deployment in lists. */
export const DeploymentView = z.object({
  id: DeploymentId,
  name: z.string(),
  aliases: z.array(AliasName),
  /** Of the newest revision. */
  source: ModelSource,
  /** Adapter of the newest revision; null = none. Absent from older replicas. */
  adapter: DeployedAdapter.nullable().optional(),
  desired: ReadDesiredState,
  state: ReadObservedState,
  reason: ReadStateReason.nullable(),
  /** Explanation of `reason` for people. */
  detail: z.string().nullable(),
  /** Load progress, 0 to 1, also while an older revision serves. */
  progress: z.number().min(0).max(1).nullable(),
  /** Newest revision. */
  rev: z.int().positive(),
  /**
   * Revision that serves new requests: below `rev` while an update is loading or has failed, null before any was ready. Absent
   * from replicas older than updates, where it is `rev`.
   */
  serving_rev: z.int().positive().nullable().optional(),
  /** Wanted replicas now. */
  replicas: z.int(),
  /** Where its load decides `replicas`; null = its owner did. Absent from older replicas. */
  replica_range: ReplicaRange.nullable().optional(),
  /** Ready replicas of the serving revision. */
  ready_replicas: z.int(),
  /** Configured slots of one replica of the newest revision. Absent from older replicas. */
  slots: z.int().positive().optional(),
  /** Absent from older replicas. */
  created_at: z.iso.datetime().optional(),
  /** Kind of engine of the newest revision, a name in `ENGINE_KINDS` or of a newer version. Absent from older replicas. */
  engine: z.string().optional(),
  /** When it entered its state; of repeated failures, the first one. Absent from older replicas. */
  since: z.iso.datetime().optional(),
  /** When its owner last changed it: name, revision, replicas, or stopped and resumed. Absent from older replicas. */
  updated_at: z.iso.datetime().optional(),
  /** Whether responses are stored for an hour. Absent from older replicas = false. */
  store_responses: z.boolean().optional(),
});
export type DeploymentView = z.infer<typeof DeploymentView>;

/**
 * An account's deployments, oldest first, in pages of one message. Replicas older than pages ignore `after` and answer with
 * all deployments.
 */
export const ListDeployments = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-deployments',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Only deployments with higher numbers: `next` of the previous reply. */
    after: DeploymentId.optional(),
  }),
  reply: z.object({
    deployments: eachReadable(DeploymentView),
    /** Pass it as `after` for the next page; null on the last one. Absent from older replicas. */
    next: DeploymentId.nullable().optional(),
  }),
  errors: [],
  timeoutMs: 3_000,
});

/** State of the deployment on one agent. */
const Replica = z.object({
  agent: Incarnation,
  host: z.string(),
  rev: z.int().positive(),
  state: z.enum(['loading', 'ready', 'draining', 'failed']),
  progress: z.number().min(0).max(1).nullable(),
  reason: ReadStateReason.nullable(),
  detail: z.string().nullable(),
  /** Tokens per sequence, once known. */
  context: z.int().positive().nullable(),
});
/** One replica of a deployment, on one agent. */
export type ReplicaView = z.infer<typeof Replica>;

/** Requested settings of a revision; null = the default. */
const Revision = z.object({
  rev: z.int().positive(),
  source: ModelSource,
  /** Null = none. Absent from older replicas. */
  adapter: DeployedAdapter.nullable().optional(),
  /** True when a credential for its engine is stored. */
  credential: z.boolean(),
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  threads: z.int().positive().nullable(),
  default_max_tokens: z.int().positive().nullable(),
  created_at: z.iso.datetime(),
  /** Who made it; null = unknown. Absent from older replicas. */
  by: ChangedBy.nullable().optional(),
  /** Why it was made, in the words of who made it. Absent from older replicas. */
  note: z.string().nullable().optional(),
});
/** One revision of a deployment. */
export type RevisionView = z.infer<typeof Revision>;

/** One deployment with its revisions and replicas. */
export const FindDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.find-deployment',
  owner: 'deployments',
  callers: ['console', 'ops', 'tuning'],
  trusted: ['tuning'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({ account: AccountId, deployment: DeploymentId }),
  reply: z.object({
    deployment: DeploymentView.extend({
      created_at: z.iso.datetime(),
      /** When it entered its state. */
      since: z.iso.datetime(),
      /** Capabilities of the serving revision, as its replicas last reported them. */
      caps: z.array(z.string()),
      context: z.int().positive().nullable(),
    }),
    /** Newest first, at most 50; fewer where their sources are very long. */
    revisions: eachReadable(Revision),
    /** By host, of every revision. Empty while no worker holds it. */
    running: eachReadable(Replica),
  }),
  errors: ['deployment_not_found'],
  timeoutMs: 3_000,
});
