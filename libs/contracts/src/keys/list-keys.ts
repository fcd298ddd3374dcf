import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { KeyView } from './key-view.js';

/** An account's deployment keys, newest first, without their values; at most 500 per reply. */
export const ListKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.list-keys',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Only keys with lower numbers: `next` of the reply before. */
    before: KeyId.optional(),
  }),
  reply: z.object({
    keys: z.array(KeyView),
    /** Pass it as `before` for older keys; null or absent when there are none. */
    next: KeyId.nullable().optional(),
    /** Those by which the playground calls: in no list, but in usage. With the first page alone; absent from older replicas. */
    playground: z.array(KeyId).optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
