import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountSlug } from '../ids.js';
import { Origin } from './actor.js';
import { Email, Password } from './person.js';
import { BrowserToken, SessionTokens } from './session.js';

/**
 * Signs in with address and password. An unknown address and a wrong password get the same answer after the
 * same work. After ten failures in 15 minutes from one network an address gets \`rate_limit_exceeded\` there, known or not,
 * and after fifty from everywhere; a browser that has signed in before has ten failures of its own.
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
