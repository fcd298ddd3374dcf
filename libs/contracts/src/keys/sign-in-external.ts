import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Origin } from './actor.js';
import { Email, LinkToken, PersonName } from './person.js';
import { SessionTokens } from './session.js';

/**
 * Signs in whom an identity provider vouches for. The door has verified the ID token. A person is known by
 * issuer and subject; the first time, a verified address links to the person of that address or accepts the
 * invitation. Nobody gets in uninvited.
 */
export const SignInExternal = defineRpc({
  subject: 'key.{env}.v1.rpc.sign-in-external',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    issuer: z.url().max(500),
    subject: z.string().min(1).max(255),
    email: Email.optional(),
    email_verified: z.boolean(),
    name: PersonName.optional(),
    /** Link that is accepted by this sign-in. */
    invitation: LinkToken.optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['quota_exceeded', 'invalid_credentials', 'not_permitted', 'invitation_not_found'],
  timeoutMs: 5_000,
});
