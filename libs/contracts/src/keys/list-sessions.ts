import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { UserId } from '../ids.js';
import { SessionView } from './session.js';

/** Sessions of a person that go on, newest first. */
export const ListSessions = defineRpc({
  subject: 'key.{env}.v1.rpc.list-sessions',
  owner: 'keys',
  callers: ['console'],
  proof: 'self',
  queue: 'keys',
  request: z.object({ user: UserId }),
  reply: z.object({ sessions: z.array(SessionView) }),
  errors: ['user_not_found'],
  timeoutMs: 3_000,
});
