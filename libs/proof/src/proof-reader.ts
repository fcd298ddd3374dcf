import {
  type AccountId,
  KEY_PROOF_TYPE,
  KeyId,
  KeyProofClaims,
  keyProofAudience,
  type McpScope,
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
import { type CryptoKey, decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { SessionKeyRing } from './session-key-ring.js';

/** Longest accepted lifetime of a token, whatever it claims, in seconds. */
const MAX_AGE_S = 900;
/** Clock tolerance, in seconds. */
const CLOCK_SKEW_S = 5;
/** Most tokens remembered as verified; the oldest is forgotten first. */
const REMEMBERED_MAX = 10_000;

/** A person in a session, proven by a session token. */
export interface ProvenPerson {
  readonly kind: 'person';
  readonly user: UserId;
  readonly session: SessionId;
  readonly account: AccountId;
  readonly role: MemberRole;
  /** True = nothing in the account may be changed. */
  readonly isSuspended: boolean;
}

/** An account's MCP key, proven by a token that keys-service issued for the key's value. */
export interface ProvenKey {
  readonly kind: 'key';
  readonly key: KeyId;
  readonly account: AccountId;
  readonly scope: McpScope;
}

/** Who a verified proof names. */
export type Proven = ProvenPerson | ProvenKey;

/** Checks whether a session's tokens are still valid. */
export interface SessionLiveness {
  /** @throws ServiceError `session_ended` when tokens of this version are void, `auth_unavailable` when that is unknown */
  require(session: SessionId, ver: number): Promise<void> | void;
}

/** What a `ProofReader` needs. */
export interface ProofReaderOptions {
  readonly env: string;
  readonly keys: SessionKeyRing;
  readonly sessions: SessionLiveness;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A token with verified signature and claims. */
interface Verified {
  readonly proven: Proven;
  /** Version of the session; 0 for a key. */
  readonly ver: number;
  readonly kid: string;
  readonly signedBy: CryptoKey;
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** The same error for every invalid token. */
const invalidToken = (): ServiceError => new ServiceError('session_ended', 'This session is over; sign in again.');

/**
 * Reads the tokens that keys-service signs. Algorithm, types, issuer and audiences are fixed here, whatever a token
 * claims (RFC 8725). A token is verified once; after that only its expiry, key and session are checked, without I/O as far as
 * key ring and liveness need none.
 */
export class ProofReader {
  readonly #verified = new Map<string, Verified>();
  readonly #now: () => number;

  constructor(private readonly options: ProofReaderOptions) {
    this.#now = options.now ?? Date.now;
  }

  /** Who a token names. @throws ServiceError `session_ended` for every invalid token; `auth_unavailable` */
  async read(token: string): Promise<Proven> {
    const { proven, ver } = (await this.#recall(token)) ?? (await this.#verify(token));
    if (proven.kind === 'person') await this.options.sessions.require(proven.session, ver);
    return proven;
  }

  /** The person of a session token; any other token is invalid here. @throws ServiceError like `read` */
  async readPerson(token: string): Promise<ProvenPerson> {
    const proven = await this.read(token);
    if (proven.kind !== 'person') throw invalidToken();
    return proven;
  }

  async #recall(token: string): Promise<Verified | null> {
    const known = this.#verified.get(token);
    if (!known) return null;
    const isGood = known.expires + CLOCK_SKEW_S > this.#now() / 1_000 && (await this.options.keys.find(known.kid)) === known.signedBy;
    if (isGood) return known;
    this.#verified.delete(token);
    return null;
  }

  async #verify(token: string): Promise<Verified> {
    let key: CryptoKey | null = null;
    const keyOf: JWTVerifyGetKey = async ({ kid }) => {
      key = kid === undefined ? null : await this.options.keys.find(kid);
      if (key === null) throw new errors.JWKSNoMatchingKey();
      return key;
    };
    try {
      const { kid = '', typ } = decodeProtectedHeader(token);
      const form = typ === KEY_PROOF_TYPE ? keyForm : personForm;
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: [SESSION_TOKEN_ALGORITHM],
        typ: form.typ,
        issuer: sessionIssuer(this.options.env),
        audience: form.audience(this.options.env),
        requiredClaims: ['sub', 'iat', 'exp'],
        maxTokenAge: MAX_AGE_S,
        clockTolerance: CLOCK_SKEW_S,
        currentDate: new Date(this.#now()),
      });
      const read = form.read(payload);
      if (!read || key === null) throw invalidToken();
      return this.#remember(token, { ...read, kid, signedBy: key, expires: payload.exp ?? 0 });
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw invalidToken();
      throw error;
    }
  }

  #remember(token: string, verified: Verified): Verified {
    this.#verified.set(token, verified);
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > REMEMBERED_MAX && oldest !== undefined) this.#verified.delete(oldest);
    return verified;
  }
}

type Form = {
  readonly typ: string;
  readonly audience: (env: string) => string;
  /** @returns null when claims are missing. */
  readonly read: (payload: JWTPayload) => Pick<Verified, 'proven' | 'ver'> | null;
};

const personForm: Form = {
  typ: SESSION_TOKEN_TYPE,
  audience: sessionAudience,
  read: (payload) => {
    const claims = SessionClaims.safeParse(payload).data;
    if (!claims) return null;
    const { sub, sid: session, acct: account, role, ver, susp: isSuspended = false } = claims;
    return { proven: { kind: 'person', user: UserId.parse(Number(sub)), session, account, role, isSuspended }, ver };
  },
};

const keyForm: Form = {
  typ: KEY_PROOF_TYPE,
  audience: keyProofAudience,
  read: (payload) => {
    const claims = KeyProofClaims.safeParse(payload).data;
    if (!claims) return null;
    return { proven: { kind: 'key', key: KeyId.parse(Number(claims.sub)), account: claims.acct, scope: claims.scope }, ver: 0 };
  },
};
