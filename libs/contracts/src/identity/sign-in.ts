import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountSlug } from '../ids.js';
import { Origin } from './audit.js';
import { LinkToken } from './invitations.js';
import { Email, Password } from './people.js';
import { BrowserToken, SessionTokens } from './sessions.js';

/**
 * Signs in with address and password. An unknown address and a wrong password get the same reply after the same work. In 15
 * minutes an address, known or not, may fail 10 times from one network and 50 times from all; then it gets
 * `rate_limit_exceeded`. A browser that has signed in before has 10 failures of its own.
 */
export const SignIn = defineRpc({
  subject: 'key.{env}.v1.rpc.sign-in',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    email: Email,
    password: Password,
    /** The account to work in; absent or foreign = the first one. */
    account: AccountSlug.optional(),
    browser: BrowserToken.optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['invalid_credentials', 'not_permitted', 'rate_limit_exceeded'],
  timeoutMs: 8_000,
});

/** Longest token of an identity provider that is read, in characters. */
const TOKEN_CHARS = 16_384;

/**
 * Begins a sign-in by the identity provider, and returns the nonce that the ID token must hold. Valid once, for ten minutes.
 * `not_found` where keys-service has no provider.
 */
export const BeginSignInExternal = defineRpc({
  subject: 'key.{env}.v1.rpc.begin-sign-in-external',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({}),
  reply: z.object({ nonce: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
  errors: ['not_found'],
  timeoutMs: 3_000,
});

/**
 * Signs in by an identity provider. keys-service verifies the ID token itself: issuer, audience, signature and the nonce that it
 * gave. A person is known by issuer and subject; the first time, a verified address links to the person of that address or
 * accepts the invitation. Without an invitation there is no new person. Version 1 trusted the console to verify.
 */
export const SignInExternal = defineRpc({
  subject: 'key.{env}.v2.rpc.sign-in-external',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    id_token: z.string().min(1).max(TOKEN_CHARS),
    /** For the provider's userinfo endpoint: many give the address there and not in the ID token. */
    access_token: z.string().min(1).max(TOKEN_CHARS).optional(),
    /** Link that is accepted by this sign-in. */
    invitation: LinkToken.optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['not_found', 'quota_exceeded', 'invalid_credentials', 'invitation_not_found'],
  timeoutMs: 15_000,
});
