import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { AccountId, DeploymentId, Incarnation } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { ReadStateReason } from './deployment-state.js';
import { ModelSource } from './model-source.js';
import { ServedAdapter } from './served-adapter.js';

/**
 * Place of a message in a series, for content that one NATS message cannot hold. A receiver treats the series as one message
 * once it has every part, in any order.
 */
export const MessagePart = z.object({
  /** Number of the series; a later series of the same sender has a higher one. */
  no: z.int().positive(),
  /** Place in the series, from 0. */
  i: z.int().nonnegative(),
  /** Parts of the series. 0 = no content: the series with this number still holds. */
  of: z.int().nonnegative().max(10_000),
});
export type MessagePart = z.infer<typeof MessagePart>;

/** One deployment that an agent must keep running. */
export const AssignmentItem = z.object({
  dep: DeploymentId,
  /** Account of the deployment: an agent shares memory for logs fairly between accounts. Absent from senders up to 0.1.0. */
  account: AccountId.optional(),
  rev: z.int().positive(),
  source: ModelSource,
  /**
   * The adapter to load on `source`; absent = the model as it is. Agents without the feature that `ENGINE_KINDS` names for the
   * engine would serve the base, or nothing, so they get no such item.
   */
  adapter: ServedAdapter.optional(),
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  threads: z.int().positive(),
  default_max_tokens: z.int().positive().nullable(),
  /** Credential of an HTTP engine in clear, for agents without a key (`AgentHeartbeat.key`) where the operator allows it. */
  credential: z.string().optional(),
  /**
   * The secret of the source, sealed for the agent's key and bound to `credentialBinding`: the credential of an HTTP engine, or
   * the query of a download's address, with its question mark.
   */
  sealed: z.string().optional(),
});
export type AssignmentItem = z.infer<typeof AssignmentItem>;

const SOURCE_KINDS: ReadonlySet<unknown> = new Set(ModelSource.options.map(({ shape }) => shape.kind.value));

/** True for an item with a source of a newer version. It was never loaded here, so leaving it out unloads nothing. */
function hasNewerSource(item: unknown): boolean {
  const kind = (item as { readonly source?: { readonly kind?: unknown } } | null)?.source?.kind;
  return typeof kind === 'string' && !SOURCE_KINDS.has(kind);
}

/** Binding of an item's secret: it opens only for this revision on this agent. */
export const credentialBinding = (item: { readonly dep: number; readonly rev: number; readonly wk: string }): string =>
  `assignment ${item.dep}:${item.rev} ${item.wk}`;

/**
 * Everything that an agent must run; what is not listed is unloaded. Sent on change and every 2 s, in as many parts as needed.
 * An agent applies a series when it has all of it. Once the agent's heartbeat confirms a series, the repetition has no items
 * (`part.of` 0). Agents whose heartbeat has no `assigned` get everything in one message without `part`.
 * `term` increases with each elected placer. An agent ignores a lower term while it receives a higher one, and for 30 s after
 * that. Then it accepts lower terms, because a database restored from a backup counts from a lower term.
 */
export const Assignment = defineEvent({
  subject: 'dep.{env}.v1.wrk.{wk}',
  publishers: ['deployments'],
  subscribers: ['worker', 'agent'],
  message: z.object({
    term: z.int().positive(),
    /** An item whose kind of source only newer versions know is left out. Any other invalid item makes the message unreadable. */
    items: eachReadable(AssignmentItem, Number.MAX_SAFE_INTEGER, hasNewerSource),
    /**
     * Deployments that this agent reports and that their owners stopped. Unloading them ends running streams with
     * `deployment_stopped`, unloading any other with `server_shutting_down`. Absent = everything unlisted was stopped, as with
     * senders before 2027.
     */
    stopped: z.array(DeploymentId).optional(),
    /**
     * Deployments that this agent reports and that need a replica less. Running streams end by themselves: they get no deadline.
     * Absent = none; agents of before 2027 give them their grace period.
     */
    leaving: z.array(DeploymentId).optional(),
    /** Absent = the message is the whole assignment. */
    part: MessagePart.optional(),
  }),
});
export type Assignment = z.infer<typeof Assignment.message>;

/** State of one deployment on an agent. */
export const AgentLoad = z.object({
  dep: DeploymentId,
  rev: z.int().positive(),
  state: z.enum(['loading', 'ready', 'draining', 'failed']),
  progress: z.number().min(0).max(1).nullable(),
  reason: ReadStateReason.nullable(),
  detail: z.string().max(500).nullable(),
  /** Process that serves it: the runner, or the agent for HTTP engines. */
  pid: z.int().positive().nullable(),
  /** Requests that run or wait in it. Absent from agents before 2027. */
  requests: z.int().nonnegative().optional(),
  /** Known once ready. */
  context: z.int().positive().nullable(),
  caps: z.array(z.string()),
});
export type AgentLoad = z.infer<typeof AgentLoad>;

/** Name of a group of workers that its operator scales together. */
export const WorkerPool = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
/** Pool of a worker that names none. */
export const DEFAULT_POOL = 'default';

/** Public key of an agent: X25519, 32 bytes in base64url. */
export const AgentKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/**
 * An agent's report, each second and on change. An agent silent for 5 s counts as gone. A report too large for one message
 * comes in parts, each with some of `cached` and `loads` and all other fields; it counts when it is complete.
 */
export const AgentHeartbeat = defineEvent({
  subject: 'inf.{env}.v1.hb.0.{wk}',
  publishers: ['worker', 'agent'],
  subscribers: ['deployments', 'ops'],
  message: z.object({
    wk: Incarnation,
    host: z.string(),
    zone: z.string().nullable(),
    /** Absent = `DEFAULT_POOL`, as from agents before 2027. */
    pool: WorkerPool.optional(),
    /** Free memory for models, in bytes. */
    mem_free: z.int().nonnegative(),
    /** All memory for models, in bytes. Absent from agents before 2027. */
    mem_total: z.int().nonnegative().optional(),
    cpu: z.int().positive(),
    gpus: z.int().nonnegative(),
    /** Kinds of engines that it runs. Kinds that the reader does not know match no deployment. */
    engines: z.array(z.string().max(64)).max(256),
    /** Words for what it can do besides: `adapter`, `adapter-export`. Absent = none, as from agents before 2027. */
    features: z.array(z.string().max(64)).max(64).optional(),
    /** Downloaded models, by their URIs without queries. */
    cached: z.array(z.string()),
    draining: z.boolean(),
    loads: eachReadable(AgentLoad),
    /** Public key with which secrets for this agent are sealed; the same until the agent ends. Absent from agents before 2027. */
    key: AgentKey.optional(),
    /** The assignment that it applies now, null before the first; absent from agents that read no parts. */
    assigned: z.object({ term: z.int().positive(), no: z.int().positive() }).nullable().optional(),
    /** Absent = the message is the whole report. */
    part: MessagePart.optional(),
  }),
});
export type AgentHeartbeat = z.infer<typeof AgentHeartbeat.message>;
