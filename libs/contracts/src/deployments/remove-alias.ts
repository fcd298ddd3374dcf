import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName } from '../ids.js';
import { Actor } from '../keys/actor.js';

/** Removes an alias; requests that have resolved it keep their deployment. Repeating it is harmless. */
export const RemoveAlias = defineRpc({
  subject: 'dep.{env}.v1.rpc.remove-alias',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    alias: AliasName,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  /** `removed`: false when the account had no such alias. */
  reply: z.object({ alias: AliasName, removed: z.boolean() }),
  errors: ['rate_limit_exceeded'],
  timeoutMs: 3_000,
});
