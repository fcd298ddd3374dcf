import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { DeploymentView } from './deployment-view.js';

/**
 * An account's deployments, oldest first; as many as a message holds. Who does not ask on for `next` sees the oldest alone.
 * Replicas of before lists came in pages know no `after` and answer with all of them.
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
    /** Only deployments with higher numbers: `next` of the reply before. */
    after: DeploymentId.optional(),
  }),
  reply: z.object({
    deployments: z.array(DeploymentView),
    /** Pass it as `after` for the next page; null on the last one. Absent from older replicas. */
    next: DeploymentId.nullable().optional(),
  }),
  errors: [],
  timeoutMs: 3_000,
});
