import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError, type SessionId, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { PasswordsService } from './passwords.service.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionEnding } from './session-ending.service.js';
import { type Session, SessionsRepository } from './sessions.repository.js';

/** A change of password, asked for in a session. */
export interface PasswordChange {
  readonly session: SessionId;
  readonly user: UserId;
  readonly current: string;
  readonly next: string;
  readonly origin: Origin;
}

/** Sets another password; whoever signed in with the old one has to do it again. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly passwords: PasswordsService,
    private readonly sessions: SessionsRepository,
    private readonly ending: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The session that asks goes on. Returns how many others ended.
   * @throws ServiceError `invalid_credentials`, `session_ended`, `rate_limit_exceeded`
   */
  async change({ session, user, current, next, origin }: PasswordChange): Promise<number> {
    const known = await this.transactions.read((connection) => this.people.find(connection, user));
    if (known === null) throw sessionEnded();
    const person = await this.passwords.prove({ email: known.email, password: current }, { origin, session });
    const passwordHash = await this.passwords.hash(next, user);
    return this.transactions.run(async (tx) => {
      const [asking] = await this.sessions.holdAll(tx, { user, only: session });
      if (!asking) throw sessionEnded();
      await this.passwords.succeeded(tx, person, { origin, session });
      await this.passwords.set(tx, user, passwordHash);
      const ended = await this.ending.endAll(tx, { user, except: session });
      await this.#record(tx, { person, asking, origin, ended: ended.length });
      return ended.length;
    });
  }

  async #record(tx: Tx, change: { person: Person; asking: Session; origin: Origin; ended: number }): Promise<void> {
    const { person, asking, origin, ended } = change;
    await this.audit.record(tx, {
      account: asking.account,
      actor: { kind: 'user', user: person.id, ...origin },
      actorName: person.email,
      action: 'password.change',
      object: `user:${person.id}`,
      objectName: person.email,
      facts: { sessions_ended: ended },
    });
  }
}

const sessionEnded = (): ServiceError => new ServiceError('session_ended', 'This session is over; sign in again.');
