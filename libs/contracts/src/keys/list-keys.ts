import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';

/** An account's keys, newest first, without their values. */
export const ListKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.list-keys',
  owner: 'keys',
  callers: ['console', 'ops'],
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    keys: z.array(
      z.object({
        id: KeyId,
        name: z.string(),
        hint: z.string(),
        state: z.enum(['active', 'revoked']),
        created_at: z.iso.datetime(),
      }),
    ),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
