import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { propagatedFields } from './propagated.js';

/** Ends a deployment key for ever. Repeating it is harmless and asks the gateways again. */
export const RevokeKey = defineRpc({
  subject: 'key.{env}.v1.rpc.revoke-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ id: KeyId, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
