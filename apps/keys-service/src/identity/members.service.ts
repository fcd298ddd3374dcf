import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type MemberRole, ServiceError, type UserId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type Page, readPage } from '../shared/page.js';
import { Authority } from './authority.service.js';
import { type ListedMember, type Member, type Membership, MembershipsRepository } from './memberships.repository.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionRevocation } from './session-revocation.service.js';

/** One member of an account. */
export interface MemberAddress {
  readonly account: AccountId;
  readonly user: UserId;
}

/** Members of accounts and their roles. */
@Injectable()
export class MembersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly sessions: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /** Members with numbers above `after`, in order of number. @throws ServiceError `account_not_found` */
  list(account: AccountId, actor: Actor, after = 0): Promise<Page<ListedMember>> {
    return this.transactions.read(async (connection) => {
      await this.authority.require(connection, account, actor, 'read');
      return readPage((limit) => this.memberships.page(connection, account, { after, limit }));
    });
  }

  /** A person with all memberships. @throws ServiceError `user_not_found` */
  find(user: UserId): Promise<{ person: Person; memberships: Membership[] }> {
    return this.transactions.read(async (connection) => {
      const person = await this.people.find(connection, user);
      if (person === null) throw userNotFound();
      return { person, memberships: await this.memberships.accountsOf(connection, user) };
    });
  }

  /**
   * The member's sessions go on with the new role; session tokens with the old role are void at once.
   * @throws ServiceError `user_not_found`, `last_owner`, `not_permitted`, `account_not_found`
   */
  changeRole({ account, user }: MemberAddress, role: MemberRole, actor: Actor): Promise<void> {
    return this.transactions.run(async (tx) => {
      const { actorName, member } = await this.#lock(tx, { account, user }, actor);
      if (member.role === role) return;
      if (member.role === 'owner') await this.#requireAnotherOwner(tx, account, user);
      await this.memberships.setRole(tx, account, { user, role });
      await this.sessions.voidTokens(tx, { account, user });
      const entry = { account, actor, actorName, object: `user:${user}`, objectName: member.email, facts: { from: member.role, role } };
      await this.audit.record(tx, { ...entry, action: 'member.role' });
    });
  }

  /** Ends the member's sessions in the account too. @throws ServiceError `user_not_found`, `last_owner`, `not_permitted`, `account_not_found` */
  remove({ account, user }: MemberAddress, actor: Actor): Promise<void> {
    return this.transactions.run(async (tx) => {
      const { actorName, member } = await this.#lock(tx, { account, user }, actor);
      if (member.role === 'owner') await this.#requireAnotherOwner(tx, account, user);
      await this.memberships.remove(tx, account, user);
      await this.sessions.endAll(tx, { account, user });
      const entry = { account, actor, actorName, object: `user:${user}`, objectName: member.email };
      await this.audit.record(tx, { ...entry, action: 'member.remove', facts: { role: member.role } });
    });
  }

  async #lock(tx: Tx, { account, user }: MemberAddress, actor: Actor): Promise<{ actorName: string | null; member: Member }> {
    // Changes of an account's members are serialized by the lock on its owners, so each sees the roles that the one before left.
    await this.memberships.lockOwners(tx, account);
    const actorName = await this.authority.require(tx, account, actor, 'manage');
    const member = await this.memberships.find(tx, account, user);
    if (member === null) throw new ServiceError('user_not_found', 'This account has no member of this number.', { param: 'user' });
    return { actorName, member };
  }

  async #requireAnotherOwner(tx: Tx, account: AccountId, user: UserId): Promise<void> {
    const owners = await this.memberships.lockOwners(tx, account);
    if (owners.some((owner) => owner !== user)) return;
    throw new ServiceError('last_owner', 'An account needs an owner: make another member an owner first.', { param: 'user' });
  }
}

/** The error for a number that no person has. */
export const userNotFound = (): ServiceError => new ServiceError('user_not_found', 'There is no user of this number.', { param: 'user' });
