import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { defineFeed } from '../feed.js';
import { AccountId, SessionId } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { Actor } from './audit.js';
import { MemberRole } from './people.js';

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
  /** Version of the session. A token is void once the session feed has a higher one. */
  ver: z.int().positive(),
  /** True while the account is suspended: the token is good for looking. Such tokens are void when it is resumed. */
  susp: z.literal(true).optional(),
});
export type SessionClaims = z.infer<typeof SessionClaims>;

/** The public keys that verify session tokens: the one that signs, and those whose tokens may still live. */
export const ListSessionKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.list-session-keys',
  owner: 'keys',
  callers: ['console', 'deployments'],
  proof: 'role',
  queue: 'keys',
  request: z.object({}),
  reply: z.object({
    keys: eachReadable(
      z.object({ kid: z.string(), kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.base64url(), alg: z.literal('EdDSA') }),
    ),
  }),
  errors: [],
  timeoutMs: 3_000,
});

/**
 * Makes a new key that signs session tokens from now on. Tokens of the old one stay good until they expire,
 * unless `revoke_old` is set: then every page refreshes its session.
 */
export const RotateSessionKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-session-key',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    /** The old keys verify nothing from now on, as after a leak. */
    revoke_old: z.boolean().optional(),
    actor: Actor,
  }),
  reply: z.object({ kid: z.string() }),
  errors: [],
  timeoutMs: 3_000,
});

/** A session whose earlier tokens are void. */
export const SessionFeedRecord = z.object({
  id: SessionId,
  /** Tokens with a lower version are void. */
  ver: z.int().positive(),
  /** No token of it is good any more. */
  ended: z.boolean(),
  /** When the last void token has expired and this need not be known any more; milliseconds since the epoch. */
  until: z.int(),
});
export type SessionFeedRecord = z.infer<typeof SessionFeedRecord>;

/** Sessions that ended or changed while their tokens are unexpired. A verifier needs it besides the signing keys. */
export const SessionFeed = defineFeed({ name: 'session', owner: 'keys', readers: ['console', 'deployments'], record: SessionFeedRecord });
