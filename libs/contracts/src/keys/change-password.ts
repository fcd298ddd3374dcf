import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { SessionId, UserId } from '../ids.js';
import { Origin } from './actor.js';
import { NewPassword, Password } from './person.js';

/** Sets another password and ends all other sessions of the person. */
export const ChangePassword = defineRpc({
  subject: 'key.{env}.v1.rpc.change-password',
  owner: 'keys',
  callers: ['console'],
  proof: 'session',
  queue: 'keys',
  request: z.object({ session: SessionId, user: UserId, current: Password, next: NewPassword, origin: Origin }),
  reply: z.object({ ended: z.int().nonnegative() }),
  errors: ['invalid_credentials', 'session_ended', 'rate_limit_exceeded'],
  timeoutMs: 8_000,
});
