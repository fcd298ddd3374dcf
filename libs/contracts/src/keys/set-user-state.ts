import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { UserId } from '../ids.js';
import { Actor } from './actor.js';
import { Email, UserState } from './person.js';

/**
 * Suspends a person in all accounts, or lets them go on. Their sessions end at once, with the playground's keys, and no way of
 * signing in opens anything: each answers as it does to somebody who is not known here. Memberships stay, and so do the keys
 * that the person made, which belong to their accounts. Repeating it is harmless.
 */
export const SetUserState = defineRpc({
  subject: 'key.{env}.v1.rpc.set-user-state',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ email: Email, state: UserState, actor: Actor }),
  reply: z.object({
    user: UserId,
    state: UserState,
    /** Sessions that ended by it. */
    ended: z.int().nonnegative(),
  }),
  errors: ['user_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
