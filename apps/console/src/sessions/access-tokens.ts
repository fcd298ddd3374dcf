import {
  AccountId,
  type MemberRole,
  SESSION_TOKEN_ALGORITHM,
  SESSION_TOKEN_TYPE,
  SessionClaims,
  ServiceError,
  sessionAudience,
  type SessionId,
  sessionIssuer,
  UserId,
} from '@slipway/contracts';
import type { Freshness } from '@slipway/feed';
import { errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { SessionKeyRing } from './session-key-ring.js';
import type { VoidSessions } from './void-sessions.js';

/** Longest life of a token that is believed, whatever it says itself, in seconds. */
const MAX_AGE_S = 900;
/** Clocks may be off by so much, in seconds. */
const CLOCK_SKEW_S = 5;
/** Tokens are believed for so long while no keys-service tells which sessions ended, in milliseconds. */
const ABSENT_GRACE_MS = 300_000;

/** Who asks, as a session token says. */
export interface SignedIn {
  readonly user: UserId;
  readonly session: SessionId;
  readonly account: AccountId;
  readonly role: MemberRole;
}

export interface AccessTokensOptions {
  readonly env: string;
  readonly keys: SessionKeyRing;
  readonly voided: VoidSessions;
  /** How far `voided` may be trusted. */
  readonly freshness: () => Freshness;
}

const refused = (): ServiceError => new ServiceError('session_ended', 'This session is over; sign in again.');
const unavailable = (): ServiceError =>
  new ServiceError('auth_unavailable', 'Sign-ins cannot be checked right now; try again soon.', { retryAfterS: 2 });

/** Reads session tokens. Algorithm, type, issuer and audience are ours to say, not the token's (RFC 8725). */
export class AccessTokens {
  readonly #key: JWTVerifyGetKey;

  constructor(private readonly options: AccessTokensOptions) {
    this.#key = async ({ kid }) => {
      const key = kid === undefined ? null : await options.keys.find(kid);
      if (key === null) throw new errors.JWKSNoMatchingKey();
      return key;
    };
  }

  /** @throws ServiceError `session_ended`, one answer to every token that opens nothing; `auth_unavailable` */
  async read(token: string): Promise<SignedIn> {
    const { sub, sid, acct, role, ver } = await this.#verify(token);
    this.#requireTrust();
    if (this.options.voided.isVoid(sid, ver)) throw refused();
    return { user: UserId.parse(Number(sub)), session: sid, account: acct, role };
  }

  async #verify(token: string): Promise<SessionClaims> {
    const { env } = this.options;
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [SESSION_TOKEN_ALGORITHM],
        typ: SESSION_TOKEN_TYPE,
        issuer: sessionIssuer(env),
        audience: sessionAudience(env),
        requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        maxTokenAge: MAX_AGE_S,
        clockTolerance: CLOCK_SKEW_S,
      });
      const claims = SessionClaims.safeParse(payload);
      if (!claims.success) throw refused();
      return claims.data;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw refused();
      throw error;
    }
  }

  /** Whether an ended session would be known. */
  #requireTrust(): void {
    const { state, ageMs } = this.options.freshness();
    if (state === 'fresh' || (state === 'absent' && ageMs <= ABSENT_GRACE_MS)) return;
    throw unavailable();
  }
}
