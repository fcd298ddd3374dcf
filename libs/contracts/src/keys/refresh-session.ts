import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountSlug } from '../ids.js';
import { Origin } from './actor.js';
import { RefreshToken, SessionTokens } from './session.js';

/**
 * Exchanges a refresh token for the next pair. A token that was used before ends the session, but for 10 s
 * after its use: tabs may race, and answers may be lost. Expired, ended, reused and invented tokens are the
 * same \`session_ended\`.
 */
export const RefreshSession = defineRpc({
  subject: 'key.{env}.v1.rpc.refresh-session',
  owner: 'keys',
  callers: ['console'],
  queue: 'keys',
  request: z.object({
    refresh_token: RefreshToken,
    /** Works in another account of the person from now on; a foreign one is `not_permitted`. */
    account: AccountSlug.optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['session_ended', 'not_permitted'],
  timeoutMs: 3_000,
});
