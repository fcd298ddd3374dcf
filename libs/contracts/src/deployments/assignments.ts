import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { AccountId, DeploymentId, Incarnation } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { ReadStateReason } from './deployment-state.js';
import { ModelSource } from './model-source.js';

/**
 * Place of a message in a series that belongs together because one NATS message is too small for all of it. A receiver
 * takes the series as one message once it has every part, in whatever order they arrive.
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
  /** Whose it is: what an agent keeps of deployments, it shares by this. Absent from senders up to 0.1.0. */
  account: AccountId.optional(),
  rev: z.int().positive(),
  source: ModelSource,
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  threads: z.int().positive(),
  default_max_tokens: z.int().positive().nullable(),
  /** In clear: of an HTTP engine its credential, for agents without a key (`AgentHeartbeat.key`) where the operator allows it. */
  credential: z.string().optional(),
  /**
   * The secret of the source, sealed for the agent's key and bound to `credentialBinding`: the credential of an HTTP engine, or
   * the query of a download's address, with its question mark.
   */
  sealed: z.string().optional(),
});
export type AssignmentItem = z.infer<typeof AssignmentItem>;

const SOURCE_KINDS: ReadonlySet<unknown> = new Set(ModelSource.options.map(({ shape }) => shape.kind.value));

/** Such an item was never loaded here, so leaving it out unloads nothing. */
function hasNewerSource(item: unknown): boolean {
  const kind = (item as { readonly source?: { readonly kind?: unknown } } | null)?.source?.kind;
  return typeof kind === 'string' && !SOURCE_KINDS.has(kind);
}

/** What the secret of an item is bound to, so that it opens for this revision on this agent alone. */
export const credentialBinding = (item: { readonly dep: number; readonly rev: number; readonly wk: string }): string =>
  `assignment ${item.dep}:${item.rev} ${item.wk}`;

/**
 * All that an agent must run: what is not listed is unloaded. Sent on change and every 2 s, in as many parts as needed: an
 * agent applies a series when it has all of it. Once the agent's heartbeat confirms a series, the repetition has no items
 * (`part.of` 0). Agents whose heartbeat has no `assigned` get everything in one message without `part`.
 * `term` rises with each elected placer; an agent ignores a lower one for as long as it hears the
 * higher one, and 30 s more: a database restored from a backup counts from lower terms again.
 */
export const Assignment = defineEvent({
  subject: 'dep.{env}.v1.wrk.{wk}',
  publishers: ['deployments'],
  subscribers: ['worker', 'agent'],
  message: z.object({
    term: z.int().positive(),
    /** An item whose kind of source only newer versions know is left out. Any other broken item makes the message unreadable. */
    items: eachReadable(AssignmentItem, Number.MAX_SAFE_INTEGER, hasNewerSource),
    /**
     * Deployments that this agent reports and that their owners stopped: what is unloaded of them ends its last streams as
     * `deployment_stopped`, everything else as `server_shutting_down`. Absent = all that is unlisted is stopped, as senders of
     * before 2027 mean it.
     */
    stopped: z.array(DeploymentId).optional(),
    /** Absent = the message is the whole assignment. */
    part: MessagePart.optional(),
  }),
});
export type Assignment = z.infer<typeof Assignment.message>;

/** What an agent does for one deployment. */
export const AgentLoad = z.object({
  dep: DeploymentId,
  rev: z.int().positive(),
  state: z.enum(['loading', 'ready', 'draining', 'failed']),
  progress: z.number().min(0).max(1).nullable(),
  reason: ReadStateReason.nullable(),
  detail: z.string().max(500).nullable(),
  /** Process that serves it: the runner's, or the agent's own for HTTP engines. */
  pid: z.int().positive().nullable(),
  /** Known once ready. */
  context: z.int().positive().nullable(),
  caps: z.array(z.string()),
});
export type AgentLoad = z.infer<typeof AgentLoad>;

/** Public key of an agent: X25519, 32 bytes in base64url. */
export const AgentKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/**
 * An agent's report of itself, each second and on change. An agent silent for 5 s is gone. A report that one message cannot
 * hold comes in parts, each with some of `cached` and `loads` and all of the rest; it counts when it is whole.
 */
export const AgentHeartbeat = defineEvent({
  subject: 'inf.{env}.v1.hb.0.{wk}',
  publishers: ['worker', 'agent'],
  subscribers: ['deployments', 'ops'],
  message: z.object({
    wk: Incarnation,
    host: z.string(),
    zone: z.string().nullable(),
    /** Bytes that a model may still take. */
    mem_free: z.int().nonnegative(),
    cpu: z.int().positive(),
    gpus: z.int().nonnegative(),
    /** Kinds of engines that it runs. Kinds that only newer versions know are kept and match no deployment. */
    engines: z.array(z.string().max(64)).max(256),
    /** Download addresses whose file is already here, without their queries. */
    cached: z.array(z.string()),
    draining: z.boolean(),
    loads: eachReadable(AgentLoad),
    /** Secrets for this agent are sealed with it; it stays the same until the agent ends. Absent from agents of before 2027. */
    key: AgentKey.optional(),
    /** The assignment that it applies now, null before the first; absent from agents that read no parts. */
    assigned: z.object({ term: z.int().positive(), no: z.int().positive() }).nullable().optional(),
    /** Absent = the message is the whole report. */
    part: MessagePart.optional(),
  }),
});
export type AgentHeartbeat = z.infer<typeof AgentHeartbeat.message>;
