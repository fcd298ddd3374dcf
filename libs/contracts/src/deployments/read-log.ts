import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { LOG_RING_LINES, LogLine } from './agent-log.js';

/** The newest lines of a deployment's engine log over all its agents, oldest first, below 512 KiB. */
export const ReadLog = defineRpc({
  subject: 'dep.{env}.v1.rpc.read-log',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  /** `lines`: 200 where the request does not say. */
  request: z.object({ account: AccountId, deployment: DeploymentId, lines: z.int().min(1).max(LOG_RING_LINES).optional() }),
  reply: z.object({
    lines: z.array(LogLine.extend({ host: z.string() })),
    /** Hosts that did not answer, whose lines are missing. */
    silent: z.array(z.string()),
  }),
  errors: ['deployment_not_found'],
  timeoutMs: 4_000,
});
