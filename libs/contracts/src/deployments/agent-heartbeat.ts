import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { DeploymentId, Incarnation } from '../ids.js';
import { StateReason } from './deployment-state.js';
import { MessagePart } from './message-part.js';

/** What an agent does for one deployment. */
export const AgentLoad = z.object({
  dep: DeploymentId,
  rev: z.int().positive(),
  state: z.enum(['loading', 'ready', 'draining', 'failed']),
  progress: z.number().min(0).max(1).nullable(),
  reason: StateReason.nullable(),
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
    engines: z.array(z.enum(['llama', 'http'])),
    /** Download addresses whose file is already here, without their queries. */
    cached: z.array(z.string()),
    draining: z.boolean(),
    loads: z.array(AgentLoad),
    /** Secrets for this agent are sealed with it; it stays the same until the agent ends. Absent from agents of before 2027. */
    key: AgentKey.optional(),
    /** The assignment that it obeys now, null before the first; absent from agents that read no parts. */
    assigned: z.object({ term: z.int().positive(), no: z.int().positive() }).nullable().optional(),
    /** Absent = the message is the whole report. */
    part: MessagePart.optional(),
  }),
});
export type AgentHeartbeat = z.infer<typeof AgentHeartbeat.message>;
