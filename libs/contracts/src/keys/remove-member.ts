import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, UserId } from '../ids.js';
import { Actor } from './actor.js';

/** Takes a member out of an account and ends their sessions in it. An account keeps an owner. */
export const RemoveMember = defineRpc({
  subject: 'key.{env}.v1.rpc.remove-member',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, user: UserId, actor: Actor }),
  reply: z.object({ user: UserId }),
  errors: ['account_not_found', 'not_permitted', 'user_not_found', 'last_owner'],
  timeoutMs: 3_000,
});
