import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';

/** An account's aliases, by name. */
export const ListAliases = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-aliases',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  /** `since`: when it was pointed there. */
  reply: z.object({ aliases: z.array(z.object({ alias: AliasName, deployment: DeploymentId, since: z.iso.datetime() })) }),
  errors: [],
  timeoutMs: 3_000,
});
