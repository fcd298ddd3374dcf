import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, ServiceError, type UserId, type UserState } from '@slipway/contracts';
import { AuditLog, type AuditRecord, Transactions, type Tx } from '@slipway/database';
import { SessionEnding } from './session-ending.service.js';
import { AttemptsRepository } from './attempts.repository.js';
import { MembershipsRepository } from './memberships.repository.js';
import { PeopleRepository } from './people.repository.js';

/** What operators do to a person in all accounts together. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly sessions: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Suspends somebody or lets them go on; owners of all their accounts read of it. A state that they have already is not written
   * down again. Returns how many sessions ended.
   * @throws ServiceError `user_not_found`, `not_permitted`
   */
  setState(email: string, state: UserState, actor: Actor): Promise<{ user: UserId; state: UserState; ended: number }> {
    requireOperator(actor, 'Operators suspend people.');
    return this.transactions.run(async (tx) => {
      const person = await this.people.holdByEmail(tx, email);
      if (person === null) throw userNotFound();
      const { id: user } = person;
      const before: UserState = person.isSuspended ? 'suspended' : 'active';
      await this.people.setState(tx, user, state);
      const ended = state === 'suspended' ? (await this.sessions.endAll(tx, { user })).length : 0;
      // What they tried meanwhile was refused although it was right.
      if (state === 'active') await this.attempts.clearAll(tx, email);
      const action = state === 'suspended' ? 'user.suspend' : 'user.resume';
      const facts = { from: before, state, sessions_ended: ended };
      if (before !== state) await this.#record(tx, user, { actor, action, object: `user:${user}`, objectName: email, facts });
      return { user, state, ended };
    });
  }

  /** One entry in each account of the person; without one, in the operator's own log. */
  async #record(tx: Tx, user: UserId, entry: Omit<AuditRecord, 'account'>): Promise<void> {
    const accounts: (AccountId | null)[] = (await this.memberships.accountsOf(tx, user)).map(({ account }) => account);
    for (const account of accounts.length === 0 ? [null] : accounts) await this.audit.record(tx, { ...entry, account });
  }
}

/** @throws ServiceError `not_permitted` */
export function requireOperator({ kind }: Actor, message: string): void {
  if (kind !== 'ops') throw new ServiceError('not_permitted', message, { param: 'actor' });
}

/** One answer to every address that nobody has. */
export const userNotFound = (): ServiceError => new ServiceError('user_not_found', 'Nobody here has this address.', { param: 'email' });
