import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { propagatedFields } from './propagated.js';

/**
 * Gives the account's MCP key a new value; the old one dies in the same change. `key_not_found`
 * while it has none. The new value is in this reply and can never be read again.
 */
export const RotateMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-mcp-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters. */
    hint: z.string(),
    ...propagatedFields,
  }),
  errors: ['account_not_found', 'key_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
