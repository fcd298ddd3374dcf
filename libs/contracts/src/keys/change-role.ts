import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, UserId } from '../ids.js';
import { Actor } from './actor.js';
import { MemberRole } from './person.js';

/** Gives a member another role; it counts at once. An account keeps an owner. */
export const ChangeRole = defineRpc({
  subject: 'key.{env}.v1.rpc.change-role',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, user: UserId, role: MemberRole, actor: Actor }),
  reply: z.object({ user: UserId, role: MemberRole }),
  errors: ['account_not_found', 'not_permitted', 'user_not_found', 'last_owner'],
  timeoutMs: 3_000,
});
