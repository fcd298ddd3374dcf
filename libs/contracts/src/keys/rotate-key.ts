import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { KeyExpiry } from './key-view.js';
import { propagatedFields } from './propagated.js';

/**
 * Gives a deployment key a new value and keeps its number and name; the old value dies in the same
 * change. The new value is in this reply and can never be read again.
 */
export const RotateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    /** A new expiry; null = never, absent = as it was, which an expired key does not allow. */
    expires_at: KeyExpiry.nullable().optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters, for lists. */
    hint: z.string(),
    ...propagatedFields,
  }),
  errors: ['key_not_found', 'key_revoked', 'key_expired', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
