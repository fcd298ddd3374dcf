import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { UserId } from '../ids.js';
import { Actor } from './actor.js';

/**
 * Gives somebody who forgot their password a random one, which is in this reply and can never be read again, and ends all
 * their sessions. Operators alone may ask: an owner could take over who belongs to other accounts too.
 */
export const ResetPassword = defineRpc({
  subject: 'key.{env}.v1.rpc.reset-password',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ user: UserId, actor: Actor }),
  reply: z.object({
    /** The whole password, shown once. */
    password: z.string(),
    ended: z.int().nonnegative(),
  }),
  errors: ['user_not_found'],
  timeoutMs: 8_000,
});
