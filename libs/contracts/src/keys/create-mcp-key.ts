import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { propagatedFieldsOfNow } from './propagated.js';

/**
 * Makes the account's MCP key, of which it has one at most: of requests at once one wins, and once
 * it exists it is only rotated. The value is in this reply and can never be read again. It is sent
 * when every gateway knows the key, or after a second.
 */
export const CreateMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-mcp-key',
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
    ...propagatedFieldsOfNow,
  }),
  errors: ['account_not_found', 'mcp_key_exists', 'not_permitted'],
  timeoutMs: 5_000,
});
