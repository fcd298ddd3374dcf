import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type Membership, MembershipsRepository } from './memberships.repository.js';
import { hashOf, type PresentedToken, readRefreshToken } from './secrets.js';
import { SessionRevocation } from './session-revocation.service.js';
import { isLive, judgeTokenUse, sessionEnded } from './session-times.js';
import { SessionTokenIssuer } from './session-tokens.service.js';
import { type Session, SessionsRepository } from './sessions.repository.js';

/** What a refresh asks for. */
export interface RefreshOptions {
  /** The account of the person to work in from now on; absent = the same as before. */
  readonly slug?: string | undefined;
  /** A random name that the page keeps until it gets an answer, and shares with its tabs. */
  readonly attempt?: string | undefined;
  readonly origin: Origin;
}

/** Refreshes and ends sessions by their refresh tokens. A token serves one attempt and its retries; any other use ends the session. */
@Injectable()
export class RefreshService {
  constructor(
    private readonly transactions: Transactions,
    private readonly sessions: SessionsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly issuer: SessionTokenIssuer,
    private readonly revocation: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ServiceError `session_ended`; `not_permitted` for an account that the person does not belong to */
  async refresh(refreshToken: string, options: RefreshOptions): Promise<SessionTokens> {
    const presented = readRefreshToken(refreshToken);
    // Thrown after the commit, so that the end of a session whose token was reused is committed.
    const tokens = presented && (await this.transactions.run((tx) => this.#refresh(tx, presented, options)));
    if (!tokens) throw sessionEnded();
    return tokens;
  }

  /** Ends the session of a refresh token. @returns false when it had ended before */
  async signOut(refreshToken: string, origin: Origin): Promise<boolean> {
    const presented = readRefreshToken(refreshToken);
    if (presented === null) return false;
    return this.transactions.run(async (tx) => {
      const session = await this.sessions.lock(tx, presented.session);
      if (!session || (await this.sessions.generationOf(tx, session.id, presented.hash)) === null) return false;
      return this.#end(tx, session, { action: 'session.sign_out', origin });
    });
  }

  async #refresh(tx: Tx, { session: id, hash }: PresentedToken, options: RefreshOptions): Promise<SessionTokens | null> {
    const seen = await this.sessions.find(tx, id);
    // Locks memberships before the session, as role changes do, so that they cannot deadlock.
    const membership = seen && (await this.#lockMembership(tx, seen, options.slug));
    const session = await this.sessions.lock(tx, id);
    if (!session || !isLive(session, Date.now())) return null;
    const generation = await this.sessions.generationOf(tx, id, hash);
    if (generation === null) return null;
    const attemptHash = options.attempt === undefined ? null : hashOf(options.attempt);
    const use = judgeTokenUse(session, { generation, attemptHash });
    if (use === 'reused') {
      await this.#end(tx, session, { action: 'session.reuse_detected', origin: options.origin });
      return null;
    }
    if (!membership) return null;
    if (use === 'retry') return this.issuer.reissue(tx, session, membership);
    return this.issuer.advance(tx, session, membership, attemptHash);
  }

  async #lockMembership(tx: Tx, { user, account }: Session, slug: string | undefined): Promise<Membership | null> {
    const all = await this.memberships.lockAccountsOf(tx, user);
    const found = all.find((one) => (slug === undefined ? one.account === account : one.slug === slug));
    if (!found && slug !== undefined) throw new ServiceError('not_permitted', 'You do not belong to this account.', { param: 'account' });
    return found ?? null;
  }

  async #end(tx: Tx, { id, user, account }: Session, { action, origin }: { action: string; origin: Origin }): Promise<boolean> {
    const ended = await this.revocation.endAll(tx, { user, only: id });
    if (ended.length > 0) {
      await this.audit.record(tx, { account, actor: { kind: 'user', user, ...origin }, action, object: `session:${id}` });
    }
    return ended.length > 0;
  }
}
