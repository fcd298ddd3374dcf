import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Origin } from './actor.js';
import { RefreshToken } from './session.js';

/** Ends the session of a refresh token. A token that opens nothing is no error: what was wanted holds. */
export const SignOut = defineRpc({
  subject: 'key.{env}.v1.rpc.sign-out',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({ refresh_token: RefreshToken, origin: Origin }),
  reply: z.object({ ended: z.boolean() }),
  errors: [],
  timeoutMs: 3_000,
});
