import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug } from '../ids.js';
import { AccountState } from './key-feed.js';
import { Limits } from './limits.js';

/** All accounts, oldest first; at most 500 per reply. */
export const ListAccounts = defineRpc({
  subject: 'key.{env}.v1.rpc.list-accounts',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    /** Only accounts with higher numbers: `next` of the reply before. */
    after: AccountId.optional(),
  }),
  reply: z.object({
    accounts: z.array(
      z.object({
        id: AccountId,
        slug: AccountSlug,
        state: AccountState,
        created_at: z.iso.datetime(),
        /** Absent from older replicas. */
        limits: Limits.optional(),
      }),
    ),
    /** Pass it as `after` for the next page; null on the last one. */
    next: AccountId.nullable(),
  }),
  errors: [],
  timeoutMs: 3_000,
});
