import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { SessionId, UserId } from '../ids.js';
import { Actor } from './actor.js';

/** Ends one session of a person, or all of them: sign-out everywhere. */
export const EndSessions = defineRpc({
  subject: 'key.{env}.v1.rpc.end-sessions',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'self',
  queue: 'keys',
  request: z.object({
    user: UserId,
    /** Absent = all. */
    session: SessionId.optional(),
    actor: Actor,
  }),
  reply: z.object({ ended: z.int().nonnegative() }),
  errors: ['user_not_found', 'session_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});
