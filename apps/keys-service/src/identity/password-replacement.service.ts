import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, type Origin, type SessionId, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions } from '@slipway/database';
import { userNotFound } from './members.service.js';
import { MembershipsRepository } from './memberships.repository.js';
import { requireStrongPassword } from './password-strength.js';
import { PasswordsService } from './passwords.service.js';
import { PeopleRepository } from './people.repository.js';
import { SessionRevocation } from './session-revocation.service.js';
import { sessionEnded } from './session-times.js';
import { SessionsRepository } from './sessions.repository.js';

/** 128 random bits. */
const PASSWORD_BYTES = 16;

/** A change of password that a session asks for. */
export interface PasswordChangeRequest {
  readonly session: SessionId;
  readonly user: UserId;
  readonly current: string;
  readonly next: string;
  readonly origin: Origin;
}

/** Lets people change their own password. */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsRepository,
    private readonly revocation: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Ends all sessions of the person but the one that asks. Returns how many ended.
   * @throws ServiceError `invalid_credentials`, `session_ended`, `rate_limit_exceeded`, `invalid_request` for a password that is easy to guess
   */
  async change({ session, user, current, next, origin }: PasswordChangeRequest): Promise<number> {
    const known = await this.transactions.read((connection) => this.people.find(connection, user));
    if (known === null) throw sessionEnded();
    await requireStrongPassword(next, known, 'next');
    const person = await this.passwords.verify({ email: known.email, password: current }, { origin, session });
    const passwordHash = await this.passwords.hash(next, user);
    return this.transactions.run(async (tx) => {
      const [asking] = await this.sessions.lockAll(tx, { user, only: session });
      if (!asking) throw sessionEnded();
      await this.passwords.confirm(tx, person, { origin, session });
      await this.passwords.set(tx, user, passwordHash);
      const ended = (await this.revocation.endAll(tx, { user, except: session })).length;
      const actor = { kind: 'user', user, ...origin } as const;
      const entry = { account: asking.account, actor, actorName: person.email, object: `user:${user}`, objectName: person.email };
      await this.audit.record(tx, { ...entry, action: 'password.change', facts: { sessions_ended: ended } });
      return ended;
    });
  }
}

/** Gives people a random password when they have forgotten theirs. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly passwords: PasswordsService,
    private readonly revocation: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /** Ends all sessions of the person; recorded in the audit log of each of their accounts. @throws ServiceError `user_not_found` */
  async reset(user: UserId, actor: Actor): Promise<{ password: string; ended: number }> {
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const passwordHash = await this.passwords.hash(password, user);
    return this.transactions.run(async (tx) => {
      const person = await this.people.find(tx, user);
      if (person === null) throw userNotFound();
      await this.passwords.reset(tx, person, passwordHash);
      const ended = (await this.revocation.endAll(tx, { user })).length;
      const entry = { actor, action: 'password.reset', object: `user:${user}`, objectName: person.email, facts: { sessions_ended: ended } };
      for (const { account } of await this.memberships.accountsOf(tx, user)) await this.audit.record(tx, { ...entry, account });
      return { password, ended };
    });
  }
}
