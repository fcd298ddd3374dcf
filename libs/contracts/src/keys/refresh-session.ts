import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountSlug } from '../ids.js';
import { Origin } from './actor.js';
import { RefreshToken, SessionTokens } from './session.js';

/**
 * Exchanges a refresh token for the next pair. It is good for one attempt: the same `attempt` may ask again until the next
 * token is used, as answers get lost and tabs race. The same token with another attempt, or with none, ends the session:
 * one of the two stole it. Expired, ended, reused and invented tokens are the same `session_ended`.
 */
export const RefreshSession = defineRpc({
  subject: 'key.{env}.v1.rpc.refresh-session',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    refresh_token: RefreshToken,
    /** Works in another account of the person from now on; a foreign one is `not_permitted`. */
    account: AccountSlug.optional(),
    /** Random text that the page keeps until it has an answer, the same in all tabs of a browser. */
    attempt: z.string().min(16).max(64).optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['session_ended', 'not_permitted'],
  timeoutMs: 3_000,
});
