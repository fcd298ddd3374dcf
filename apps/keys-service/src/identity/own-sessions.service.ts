import { Injectable } from '@nestjs/common';
import { type Actor, ServiceError, type SessionId, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { userNotFound } from './members.service.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionRevocation } from './session-revocation.service.js';
import { isLive } from './session-times.js';
import { type Session, SessionsRepository } from './sessions.repository.js';

const LIST_ROWS = 100;

/** Lists and ends the sessions of one person. */
@Injectable()
export class OwnSessionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly sessions: SessionsRepository,
    private readonly revocation: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /** Live sessions, newest first. @throws ServiceError `user_not_found` */
  list(user: UserId): Promise<Session[]> {
    return this.transactions.read(async (connection) => {
      await this.#requirePerson(connection, user);
      const sessions = await this.sessions.list(connection, user, LIST_ROWS);
      return sessions.filter((session) => isLive(session, Date.now()));
    });
  }

  /**
   * Ends one session, or all of them. Returns how many ended.
   * @throws ServiceError `session_not_found`, also for another person's; `not_permitted`, `user_not_found`
   */
  end({ user, session }: { user: UserId; session?: SessionId | undefined }, actor: Actor): Promise<number> {
    if (actor.kind === 'key' || (actor.kind === 'user' && actor.user !== user)) {
      throw new ServiceError('not_permitted', 'You can end your own sessions only.', { param: 'actor' });
    }
    return this.transactions.run(async (tx) => {
      const person = await this.#requirePerson(tx, user);
      const ended = await this.revocation.endAll(tx, { user, ...(session !== undefined && { only: session }) });
      if (session !== undefined && ended.length === 0) {
        throw new ServiceError('session_not_found', 'There is no such session, or it is over.', { param: 'session' });
      }
      await this.#record(tx, { ended, actor, person });
      return ended.length;
    });
  }

  async #requirePerson(tx: Tx, user: UserId): Promise<Person> {
    const person = await this.people.find(tx, user);
    if (person === null) throw userNotFound();
    return person;
  }

  /** One entry in each account that a session worked in. */
  async #record(tx: Tx, { ended, actor, person }: { ended: readonly Session[]; actor: Actor; person: Person }): Promise<void> {
    const actorName = actor.kind === 'user' ? person.email : null;
    for (const account of new Set(ended.map((session) => session.account))) {
      const sessions = ended.filter((session) => session.account === account).length;
      const entry = { account, actor, actorName, object: `user:${person.id}`, objectName: person.email };
      await this.audit.record(tx, { ...entry, action: 'session.end', facts: { sessions } });
    }
  }
}
