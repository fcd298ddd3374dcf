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
/** Lifetime of a session token, in seconds. */
export const SESSION_TOKEN_LIFE_S = 600;

/** `iss` of an environment's session tokens. */
export const sessionIssuer = (env: string): string => `slipway:${env}:keys`;
/** `aud` of an environment's session tokens: valid for the console only. */
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
  /** True while the account is suspended: the token permits reading only. Void when the account is resumed. */
  susp: z.literal(true).optional(),
});
export type SessionClaims = z.infer<typeof SessionClaims>;

/** The public keys that verify session tokens: the signing key, and earlier ones whose tokens may still be valid. */
export const ListSessionKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.list-session-keys',
  owner: 'keys',
  callers: ['console', 'deployments', 'tuning'],
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
 * Makes a new signing key for session tokens. Tokens of the old key stay valid until they expire, unless `revoke_old` is set:
 * then every page refreshes its session.
 */
export const RotateSessionKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-session-key',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    /** Voids the tokens of all old keys, as after a leak. */
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
  /** True when every token of the session is void. */
  ended: z.boolean(),
  /** When the last void token has expired, so that the record is no longer needed; milliseconds since the epoch. */
  until: z.int(),
});
export type SessionFeedRecord = z.infer<typeof SessionFeedRecord>;

/** Sessions that ended or changed while their tokens are unexpired. Verifiers need it together with the signing keys. */
export const SessionFeed = defineFeed({
  name: 'session',
  owner: 'keys',
  readers: ['console', 'deployments', 'tuning'],
  record: SessionFeedRecord,
});
