import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type Membership, MembershipsRepository } from './memberships.repository.js';
import { hashOf } from './link-token.js';
import { type PresentedToken, readRefreshToken } from './refresh-token.js';
import { SessionEnding } from './session-ending.service.js';
import { SessionIssuing } from './session-issuing.service.js';
import { goesOn, worthOf } from './session-times.js';
import { type Session, SessionsRepository } from './sessions.repository.js';

/** One answer to every refresh token that opens nothing. */
const sessionEnded = (): ServiceError => new ServiceError('session_ended', 'This session is over; sign in again.');

/** What a refresh asks for besides the next tokens. */
export interface RefreshWishes {
  /** Works in this account of the person from now on. */
  readonly slug?: string | undefined;
  /** Name of the attempt: random, kept by the page until it has an answer, and shared by its tabs. */
  readonly attempt?: string | undefined;
  readonly origin: Origin;
}

/** Keeps sessions going: a refresh token is good for one attempt, however often that asks; with another it ends its session. */
@Injectable()
export class RefreshService {
  constructor(
    private readonly transactions: Transactions,
    private readonly sessions: SessionsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly issuing: SessionIssuing,
    private readonly ending: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ServiceError `session_ended`, `not_permitted` for an account that is not theirs */
  async refresh(refreshToken: string, wishes: RefreshWishes): Promise<SessionTokens> {
    const presented = readRefreshToken(refreshToken);
    // A session that ends here must end for good: the refusal comes after the commit.
    const tokens = presented && (await this.transactions.run((tx) => this.#exchange(tx, presented, wishes)));
    if (!tokens) throw sessionEnded();
    return tokens;
  }

  /** Ends the session of a refresh token. False when it was over. */
  async signOut(refreshToken: string, origin: Origin): Promise<boolean> {
    const presented = readRefreshToken(refreshToken);
    if (presented === null) return false;
    return this.transactions.run(async (tx) => {
      const session = await this.sessions.hold(tx, presented.session);
      if (!session || (await this.sessions.generationOf(tx, session.id, presented.hash)) === null) return false;
      return this.#end(tx, session, { action: 'session.sign_out', origin });
    });
  }

  async #exchange(tx: Tx, { session: id, hash }: PresentedToken, wishes: RefreshWishes): Promise<SessionTokens | null> {
    const seen = await this.sessions.find(tx, id);
    // In the order of changes of roles, membership before session: they never wait for each other in a circle.
    const membership = seen && (await this.#membershipFor(tx, seen, wishes.slug));
    const session = await this.sessions.hold(tx, id);
    if (!session || !goesOn(session, Date.now())) return null;
    const generation = await this.sessions.generationOf(tx, id, hash);
    if (generation === null) return null;
    const attemptHash = wishes.attempt === undefined ? null : hashOf(wishes.attempt);
    const worth = worthOf(session, { generation, attemptHash });
    if (worth === 'reused') {
      await this.#end(tx, session, { action: 'session.reuse_detected', origin: wishes.origin });
      return null;
    }
    if (!membership) return null;
    if (worth === 'again') return this.issuing.repeat(tx, session, membership);
    return this.issuing.advance(tx, session, membership, attemptHash);
  }

  async #membershipFor(tx: Tx, { user, account }: Session, slug: string | undefined): Promise<Membership | null> {
    const all = await this.memberships.holdAccountsOf(tx, user);
    const found = all.find((one) => (slug === undefined ? one.account === account : one.slug === slug));
    if (!found && slug !== undefined) throw new ServiceError('not_permitted', 'You do not belong to this account.', { param: 'account' });
    return found ?? null;
  }

  async #end(tx: Tx, { id, user, account }: Session, { action, origin }: { action: string; origin: Origin }): Promise<boolean> {
    const ended = await this.ending.endAll(tx, { user, only: id });
    if (ended.length > 0) {
      await this.audit.record(tx, { account, actor: { kind: 'user', user, ...origin }, action, object: `session:${id}` });
    }
    return ended.length > 0;
  }
}
