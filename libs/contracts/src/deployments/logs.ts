import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';

/** Lines that an agent keeps of each deployment's engine; the oldest go first. */
export const LOG_RING_LINES = 2_000;
/** Longer lines are cut by the agent. */
export const LOG_LINE_CHARS = 1_000;

/** A line of an engine's log. Never holds a prompt, an answer or a credential. */
export const LogLine = z.object({
  /** When it was written, in milliseconds since 1970 by the agent's clock. */
  at: z.int().nonnegative(),
  rev: z.int().positive(),
  text: z.string().max(LOG_LINE_CHARS),
});
export type LogLine = z.infer<typeof LogLine>;

/**
 * The newest lines of a deployment's engine log on one agent, oldest first. Each agent serves its own subject. Empty when the
 * agent has no lines, even if it no longer runs the deployment. A reply stays below 512 KiB: the oldest lines are left out.
 */
export const ReadAgentLog = defineRpc({
  subject: 'dep.{env}.v1.wrk.{wk}.rpc.read-log',
  owner: 'worker',
  callers: ['deployments'],
  queue: 'worker',
  request: z.object({ dep: DeploymentId, lines: z.int().min(1).max(LOG_RING_LINES) }),
  reply: z.object({ lines: z.array(LogLine) }),
  errors: [],
  timeoutMs: 1_500,
});

/** The newest lines of a deployment's engine log over all its agents, oldest first, below 512 KiB. */
export const ReadLog = defineRpc({
  subject: 'dep.{env}.v1.rpc.read-log',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  /** `lines`: absent = 200. */
  request: z.object({ account: AccountId, deployment: DeploymentId, lines: z.int().min(1).max(LOG_RING_LINES).optional() }),
  reply: z.object({
    lines: z.array(LogLine.extend({ host: z.string() })),
    /** Hosts that did not answer, so their lines are missing. */
    silent: z.array(z.string()),
  }),
  errors: ['deployment_not_found'],
  timeoutMs: 4_000,
});
