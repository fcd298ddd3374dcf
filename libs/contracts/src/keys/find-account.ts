import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug } from '../ids.js';

/** Looks an account up by its slug, also one that was deleted: what was counted and written down of it stays. */
export const FindAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ slug: AccountSlug }),
  reply: z.object({
    id: AccountId,
    slug: AccountSlug,
    /** Absent = it was not. */
    deleted_at: z.iso.datetime().optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
