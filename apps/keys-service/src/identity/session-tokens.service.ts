import { Injectable } from '@nestjs/common';
import {
  type Origin,
  SESSION_TOKEN_LIFE_S,
  SESSION_TOKEN_TYPE,
  sessionAudience,
  type SessionClaims,
  type SessionTokens,
} from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { AccountsRepository } from './accounts.repository.js';
import type { Membership } from './memberships.repository.js';
import type { Person } from './people.repository.js';
import { newRefreshToken, newSessionId } from './secrets.js';
import { ABSOLUTE_MS, idleEnd } from './session-times.js';
import { type Session, SessionsRepository } from './sessions.repository.js';
import { SigningKeys } from './signing-keys.service.js';

/** Issues the tokens of sessions. The caller has verified the person and the membership. */
@Injectable()
export class SessionTokenIssuer {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionsRepository,
    private readonly signingKeys: SigningKeys,
  ) {}

  /** Begins a session and issues its first tokens. */
  async begin(tx: Tx, { id: user }: Person, membership: Membership, origin: Origin): Promise<SessionTokens> {
    await this.sessions.sweep(tx);
    const expiresAt = new Date(Date.now() + ABSOLUTE_MS);
    const session = await this.sessions.insert(tx, { id: newSessionId(), user, account: membership.account, expiresAt, origin });
    return this.#issue(tx, session, membership);
  }

  /** Begins the next generation of refresh tokens. @param attemptHash hash of the attempt that asks for it */
  async advance(tx: Tx, session: Session, membership: Membership, attemptHash: Buffer | null): Promise<SessionTokens> {
    await this.sessions.advance(tx, session, { account: membership.account, attemptHash });
    return this.#issue(tx, { ...session, generation: session.generation + 1, rotatedAt: new Date() }, membership);
  }

  /** Issues another refresh token of the current generation. */
  async reissue(tx: Tx, session: Session, membership: Membership): Promise<SessionTokens> {
    if (session.account !== membership.account) await this.sessions.setAccount(tx, session, membership.account);
    return this.#issue(tx, session, membership);
  }

  async #issue(tx: Tx, session: Session, { account, slug, role }: Membership): Promise<SessionTokens> {
    const { id, user, ver, generation } = session;
    const refresh = newRefreshToken(id);
    await this.sessions.addRefreshToken(tx, id, { hash: refresh.hash, generation });
    // Read while the session is locked: a concurrent suspension of the account waits for this transaction, then voids the token.
    const isSuspended = (await this.accounts.stateOf(tx, account)) === 'suspended';
    const claims: SessionClaims = { sub: String(user), sid: id, acct: account, role, ver, ...(isSuspended && { susp: true }) };
    const options = { type: SESSION_TOKEN_TYPE, audience: sessionAudience, lifeS: SESSION_TOKEN_LIFE_S };
    const access = await this.signingKeys.sign(tx, claims, options);
    return {
      session: id,
      user,
      account,
      slug,
      role,
      access_token: access.token,
      access_expires_at: new Date(access.expires * 1_000).toISOString(),
      refresh_token: refresh.token,
      refresh_expires_at: idleEnd(session).toISOString(),
    };
  }
}
