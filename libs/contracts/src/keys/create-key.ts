import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';

/** Makes a deployment key. The value is in this reply and can never be read again. */
export const CreateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, name: z.string().trim().min(1).max(100) }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters, for lists. */
    hint: z.string(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
