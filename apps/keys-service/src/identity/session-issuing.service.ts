import { Injectable } from '@nestjs/common';
import {
  type Origin,
  SESSION_TOKEN_ALGORITHM,
  SESSION_TOKEN_LIFE_S,
  SESSION_TOKEN_TYPE,
  type SessionClaims,
  type SessionTokens,
} from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { SignJWT } from 'jose';
import { AccountsRepository } from './accounts.repository.js';
import type { Membership } from './memberships.repository.js';
import type { Person } from './people.repository.js';
import { newRefreshToken, newSessionId } from './refresh-token.js';
import { ABSOLUTE_MS, idleEnd } from './session-times.js';
import { type Session, SessionsRepository } from './sessions.repository.js';
import { SigningKeys } from './signing-keys.service.js';
import { TokenScope } from './token-scope.js';

/** Gives tokens out. Whoever calls has made sure of the person and their membership. */
@Injectable()
export class SessionIssuing {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionsRepository,
    private readonly signingKeys: SigningKeys,
    private readonly scope: TokenScope,
  ) {}

  /** Begins a session. */
  async open(tx: Tx, { id: user }: Person, membership: Membership, origin: Origin): Promise<SessionTokens> {
    await this.sessions.sweep(tx);
    const expiresAt = new Date(Date.now() + ABSOLUTE_MS);
    const session = await this.sessions.insert(tx, { id: newSessionId(), user, account: membership.account, expiresAt, origin });
    return this.#tokens(tx, session, membership);
  }

  /** Begins the next generation of a session's refresh tokens. @param attemptHash of the attempt that asks for it */
  async advance(tx: Tx, session: Session, membership: Membership, attemptHash: Buffer | null): Promise<SessionTokens> {
    await this.sessions.advance(tx, session, { account: membership.account, attemptHash });
    return this.#tokens(tx, { ...session, generation: session.generation + 1, rotatedAt: new Date() }, membership);
  }

  /** Another refresh token of the present generation. */
  async repeat(tx: Tx, session: Session, membership: Membership): Promise<SessionTokens> {
    if (session.account !== membership.account) await this.sessions.setAccount(tx, session, membership.account);
    return this.#tokens(tx, session, membership);
  }

  async #tokens(tx: Tx, session: Session, { account, slug, role }: Membership): Promise<SessionTokens> {
    const { id, user, ver, generation } = session;
    const { token, hash } = newRefreshToken(id);
    await this.sessions.addRefreshToken(tx, id, { hash, generation });
    const issuedAt = Math.floor(Date.now() / 1_000);
    const expires = issuedAt + SESSION_TOKEN_LIFE_S;
    // Read after the session was made or held: who suspends the account meanwhile waits for this, and voids the token.
    const isSuspended = (await this.accounts.stateOf(tx, account)) === 'suspended';
    const claims: SessionClaims = { sub: String(user), sid: id, acct: account, role, ver, ...(isSuspended && { susp: true }) };
    return {
      session: id,
      user,
      account,
      slug,
      role,
      access_token: await this.#sign(tx, claims, { issuedAt, expires }),
      access_expires_at: new Date(expires * 1_000).toISOString(),
      refresh_token: token,
      refresh_expires_at: idleEnd(session).toISOString(),
    };
  }

  async #sign(tx: Tx, claims: SessionClaims, { issuedAt, expires }: { issuedAt: number; expires: number }): Promise<string> {
    const { kid, key } = await this.signingKeys.signer(tx);
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: SESSION_TOKEN_ALGORITHM, typ: SESSION_TOKEN_TYPE, kid })
      .setIssuer(this.scope.issuer)
      .setAudience(this.scope.audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expires)
      .sign(key);
  }
}
