import { Injectable } from '@nestjs/common';
import { type Actor, type Origin, ServiceError, type UserId, type UserState } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { requireOperator } from './authority.service.js';
import { userNotFound } from './members.service.js';
import { AttemptsRepository } from './attempts.repository.js';
import { type Membership, MembershipsRepository } from './memberships.repository.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionRevocation } from './session-revocation.service.js';

/** A deleted person, with the number of sessions and memberships that ended. */
export interface DeletedPerson {
  readonly user: UserId;
  readonly ended: number;
  readonly accounts: number;
}

/** Changes of a person in all of their accounts together. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly transactions: Transactions,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly sessions: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Suspends or resumes a person, for operators. Recorded in the log of each of their accounts, or in the operators' log when they
   * have none; a state that they have already is not recorded again. Returns how many sessions ended.
   * @throws ServiceError `user_not_found`, `not_permitted`
   */
  setState(email: string, state: UserState, actor: Actor): Promise<{ user: UserId; state: UserState; ended: number }> {
    requireOperator(actor, 'Only operators suspend people.');
    return this.transactions.run(async (tx) => {
      const person = await this.people.lockByEmail(tx, email);
      if (person === null) throw addressNotFound();
      const { id: user } = person;
      const before: UserState = person.isSuspended ? 'suspended' : 'active';
      await this.people.setState(tx, user, state);
      const ended = state === 'suspended' ? (await this.sessions.endAll(tx, { user })).length : 0;
      // Attempts during the suspension failed even with the right password.
      if (state === 'active') await this.attempts.clearAll(tx, email);
      if (before !== state) {
        const action = state === 'suspended' ? 'user.suspend' : 'user.resume';
        const entry = { actor, action, object: `user:${user}`, objectName: email, facts: { from: before, state, sessions_ended: ended } };
        const accounts = await this.memberships.accountsOf(tx, user);
        for (const { account } of accounts) await this.audit.record(tx, { ...entry, account });
        if (accounts.length === 0) await this.audit.record(tx, { ...entry, account: null });
      }
      return { user, state, ended };
    });
  }

  /**
   * Deletes a person for good, for operators, in one transaction. The audit log gets their number and not their address.
   * @throws ServiceError `user_not_found`, `last_owner`, `not_permitted`
   */
  delete(email: string, actor: Actor): Promise<DeletedPerson> {
    requireOperator(actor, 'Only operators delete people.');
    return this.transactions.run(async (tx) => {
      await this.people.deleteInvitations(tx, email);
      const person = await this.people.lockByEmail(tx, email);
      if (person === null) throw addressNotFound();
      const { id: user } = person;
      const memberships = await this.memberships.accountsOf(tx, user);
      await this.#requireOtherOwners(tx, user, memberships);
      const ended = (await this.sessions.endAll(tx, { user })).length;
      await this.people.delete(tx, person);
      const entry = { actor, action: 'user.delete', object: `user:${user}` };
      for (const { account, role } of memberships) {
        await this.audit.record(tx, { ...entry, account, facts: { role, sessions_ended: ended } });
      }
      if (memberships.length === 0) await this.audit.record(tx, { ...entry, account: null, facts: { sessions_ended: ended } });
      return { user, ended, accounts: memberships.length };
    });
  }

  /**
   * Changes a person's own name. The log of each of their accounts records that, and not the names: an entry outlives its person.
   * @throws ServiceError `user_not_found`
   */
  rename(user: UserId, name: string, actor: Actor): Promise<void> {
    return this.transactions.run(async (tx) => {
      const person = await this.people.find(tx, user);
      if (person === null || !(await this.people.rename(tx, user, name))) throw userNotFound();
      if (person.name === name) return;
      const entry = { actor, actorName: person.email, action: 'user.rename', object: `user:${user}`, objectName: person.email };
      for (const { account } of await this.memberships.accountsOf(tx, user)) await this.audit.record(tx, { ...entry, account });
    });
  }

  /** Whether there is anyone who could sign in. */
  hasAny(): Promise<boolean> {
    return this.transactions.read((connection) => this.people.hasAny(connection));
  }

  /**
   * Marks a person's address as verified by an identity provider. Their password is removed and their sessions end, since whoever
   * began them had not shown that the address is theirs. Recorded in the log of each of their accounts.
   */
  async verifyAddress(tx: Tx, person: Person, origin: Origin): Promise<void> {
    await this.people.setVerified(tx, person.id);
    const ended = await this.sessions.endAll(tx, { user: person.id });
    const facts = { password_removed: person.passwordHash === null ? 0 : 1, sessions_ended: ended.length };
    const actor = { kind: 'user', user: person.id, ...origin } as const;
    const entry = { actor, actorName: person.email, action: 'user.prove', object: `user:${person.id}`, objectName: person.email, facts };
    for (const { account } of await this.memberships.accountsOf(tx, person.id)) await this.audit.record(tx, { ...entry, account });
  }

  /** Locks the owners until the transaction ends: of two owners who are deleted concurrently, one stays. */
  async #requireOtherOwners(tx: Tx, user: UserId, memberships: readonly Membership[]): Promise<void> {
    const onlyOwnerOf: string[] = [];
    for (const { account, slug, role } of memberships) {
      const owners = role === 'owner' ? await this.memberships.lockOwners(tx, account) : [];
      if (role === 'owner' && !owners.some((owner) => owner !== user)) onlyOwnerOf.push(slug);
    }
    if (onlyOwnerOf.length === 0) return;
    const message = `This person is the only owner of ${onlyOwnerOf.join(', ')}: make another member an owner there, or delete the account, first.`;
    throw new ServiceError('last_owner', message, { param: 'email' });
  }
}

const addressNotFound = (): ServiceError => new ServiceError('user_not_found', 'No person has this address.', { param: 'email' });
