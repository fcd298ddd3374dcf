import { z } from 'zod';
import { AccountId, AccountSlug, SessionId, UserId } from '../ids.js';
import { MemberRole } from './person.js';

/** Header `typ` of a session token (RFC 9068); a token of another type is refused. */
export const SESSION_TOKEN_TYPE = 'at+jwt';
/** The only signature algorithm of session tokens. */
export const SESSION_TOKEN_ALGORITHM = 'EdDSA';
/** Life of a session token, in seconds. */
export const SESSION_TOKEN_LIFE_S = 600;

/** `iss` of an environment's session tokens. */
export const sessionIssuer = (env: string): string => `slipway:${env}:keys`;
/** `aud` of an environment's session tokens: they open the console and nothing else. */
export const sessionAudience = (env: string): string => `slipway:${env}:console`;

/** Claims of a session token, besides `iss`, `aud`, `iat` and `exp`. */
export const SessionClaims = z.object({
  /** The person's number, as text. */
  sub: z.string().regex(/^[1-9][0-9]{0,9}$/),
  sid: SessionId,
  /** The account in which the session works. */
  acct: AccountId,
  role: MemberRole,
  /** Version of the session; one that the session feed tells a higher version of is void. */
  ver: z.int().positive(),
  /** True while the account is suspended: the token is good for looking. Such tokens are void when it is resumed. */
  susp: z.literal(true).optional(),
});
export type SessionClaims = z.infer<typeof SessionClaims>;

/** A session's tokens, in the one reply that holds them. */
export const SessionTokens = z.object({
  session: SessionId,
  user: UserId,
  account: AccountId,
  slug: AccountSlug,
  role: MemberRole,
  /** Signed; see `SessionClaims`. */
  access_token: z.string(),
  access_expires_at: z.iso.datetime(),
  /** Opens the next pair, once. For the door's cookie alone. */
  refresh_token: z.string(),
  /** When the session ends unless it is used before. */
  refresh_expires_at: z.iso.datetime(),
  /** Shows later that this browser has signed in before: see `BrowserToken`. For the door's cookie alone; only with a sign-in. */
  browser_token: z.string().optional(),
});
export type SessionTokens = z.infer<typeof SessionTokens>;

/** What a door hands back to keep a session going. Another form is refused without a look at the database. */
export const RefreshToken = z.string().max(200);

/** What an earlier sign-in gave a browser: failures elsewhere do not lock it out. It opens nothing by itself. */
export const BrowserToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** A sign-in as its person sees it. */
export const SessionView = z.object({
  id: SessionId,
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime(),
  address: z.string().nullable(),
  client: z.string().nullable(),
});
