import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { DeploymentId, Incarnation } from '../ids.js';
import { StateReason } from './deployment-state.js';

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

/** An agent's report of itself, each second and on change. An agent silent for 5 s is gone. */
export const AgentHeartbeat = defineEvent({
  subject: 'inf.{env}.v1.hb.0.{wk}',
  publishers: ['worker'],
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
    /** Download URIs whose file is already here. */
    cached: z.array(z.string()),
    draining: z.boolean(),
    loads: z.array(AgentLoad),
  }),
});
export type AgentHeartbeat = z.infer<typeof AgentHeartbeat.message>;
