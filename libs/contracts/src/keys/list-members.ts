import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, UserId } from '../ids.js';
import { Actor } from './actor.js';
import { MemberView } from './person.js';

/** Members of an account, oldest first; at most 500 per reply. */
export const ListMembers = defineRpc({
  subject: 'key.{env}.v1.rpc.list-members',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Only members with higher numbers: `next` of the reply before. */
    after: UserId.optional(),
    actor: Actor,
  }),
  reply: z.object({ members: z.array(MemberView), next: UserId.nullable() }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});
