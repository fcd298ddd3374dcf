import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { DeploymentView } from './deployment-view.js';

/** An account's deployments, oldest first. */
export const ListDeployments = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-deployments',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  reply: z.object({ deployments: z.array(DeploymentView) }),
  errors: [],
  timeoutMs: 3_000,
});
