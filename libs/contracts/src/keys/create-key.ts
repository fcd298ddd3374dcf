import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { KeyExpiry, KeyName } from './key-view.js';
import { AllowedDeployments, LimitsWish } from './limits.js';
import { propagatedFieldsOfNow } from './propagated.js';

/**
 * Makes a deployment key. The value is in this reply and can never be read again. It is sent when every
 * gateway admits the key, or after a second.
 */
export const CreateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    name: KeyName,
    /** Absent = never. */
    expires_at: KeyExpiry.optional(),
    /** Absent = all of the account. */
    deployments: AllowedDeployments.optional(),
    /** Absent = none. */
    limits: LimitsWish.optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters, for lists. */
    hint: z.string(),
    ...propagatedFieldsOfNow,
  }),
  errors: ['account_not_found', 'not_permitted', 'quota_exceeded'],
  timeoutMs: 5_000,
});
