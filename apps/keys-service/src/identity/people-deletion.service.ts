import { Injectable } from '@nestjs/common';
import { type Actor, ServiceError, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { SessionEnding } from './session-ending.service.js';
import { ErasureRepository } from './erasure.repository.js';
import { type Membership, MembershipsRepository } from './memberships.repository.js';
import { requireOperator, userNotFound } from './people.service.js';
import { PeopleRepository } from './people.repository.js';

/** Who was deleted, and what ended by it. */
export interface DeletedPerson {
  readonly user: UserId;
  readonly ended: number;
  readonly accounts: number;
}

/** Deletes people for good. */
@Injectable()
export class PeopleDeletion {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly erasure: ErasureRepository,
    private readonly sessions: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /**
   * All in one transaction. The audit log gets the person's number, and not their address.
   * @throws ServiceError `user_not_found`, `last_owner`, `not_permitted`
   */
  delete(email: string, actor: Actor): Promise<DeletedPerson> {
    requireOperator(actor, 'Operators delete people.');
    return this.transactions.run(async (tx) => {
      await this.erasure.eraseInvitations(tx, email);
      const person = await this.people.holdByEmail(tx, email);
      if (person === null) throw userNotFound();
      const { id: user } = person;
      const left = await this.memberships.accountsOf(tx, user);
      await this.#requireOtherOwners(tx, user, left);
      const ended = (await this.sessions.endAll(tx, { user })).length;
      await this.erasure.erase(tx, { id: user, email });
      const entry = { actor, action: 'user.delete', object: `user:${user}` };
      for (const { account, role } of left) await this.audit.record(tx, { ...entry, account, facts: { role, sessions_ended: ended } });
      if (left.length === 0) await this.audit.record(tx, { ...entry, account: null, facts: { sessions_ended: ended } });
      return { user, ended, accounts: left.length };
    });
  }

  /** Owners are held until the transaction ends: of two who are deleted at once, one stays. */
  async #requireOtherOwners(tx: Tx, user: UserId, memberships: readonly Membership[]): Promise<void> {
    const alone: string[] = [];
    for (const { account, slug, role } of memberships) {
      const owners = role === 'owner' ? await this.memberships.holdOwners(tx, account) : [];
      if (role === 'owner' && !owners.some((owner) => owner !== user)) alone.push(slug);
    }
    if (alone.length === 0) return;
    const message = `This person is the only owner of ${alone.join(', ')}: make another member an owner there, or delete the account, first.`;
    throw new ServiceError('last_owner', message, { param: 'email' });
  }
}
