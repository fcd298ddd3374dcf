import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Origin } from './actor.js';
import { Email, LinkToken, Password, PersonName } from './person.js';
import { BrowserToken, SessionTokens } from './session.js';

/**
 * Accepts an invitation and signs in. Somebody new sets a password; somebody known proves to be the one with
 * theirs. The link opens nothing afterwards.
 */
export const AcceptInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.accept-invitation',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    token: LinkToken,
    /** Where the invitation names no address. */
    email: Email.optional(),
    name: PersonName.optional(),
    password: Password,
    browser: BrowserToken.optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['quota_exceeded', 'invitation_not_found', 'invalid_credentials', 'rate_limit_exceeded'],
  timeoutMs: 8_000,
});
