import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { UserId } from '../ids.js';
import { Actor } from './actor.js';
import { Email } from './person.js';

/**
 * Deletes a person for good: their sessions end at once, and nothing is left but their number in sessions that are over and in
 * the audit log, which keeps what it said before. Their address is free again for somebody new. Refused while they are the
 * only owner of an account. Repeating it answers `user_not_found`.
 */
export const DeleteUser = defineRpc({
  subject: 'key.{env}.v1.rpc.delete-user',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ email: Email, actor: Actor }),
  reply: z.object({
    user: UserId,
    /** Sessions that ended by it. */
    ended: z.int().nonnegative(),
    /** Accounts that the person belonged to. */
    accounts: z.int().nonnegative(),
  }),
  errors: ['user_not_found', 'last_owner', 'not_permitted'],
  timeoutMs: 8_000,
});
