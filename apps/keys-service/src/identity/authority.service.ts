import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type MemberRole, ServiceError } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { type Account, AccountsRepository } from './accounts.repository.js';
import { MembershipsRepository } from './memberships.repository.js';

/** What an action requires: `read` any role, `change` a member or owner, `manage` an owner. */
export type AccessLevel = 'read' | 'change' | 'manage';

const ROLES: Record<AccessLevel, readonly MemberRole[]> = {
  read: ['owner', 'member', 'viewer'],
  change: ['owner', 'member'],
  manage: ['owner'],
};
const REQUIRED: Record<AccessLevel, string> = { read: 'a member', change: 'a member or an owner', manage: 'an owner' };

/** Decides by the current roles whether an actor may do something in an account. */
@Injectable()
export class Authority {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly memberships: MembershipsRepository,
  ) {}

  /**
   * Returns the actor's name for the audit log; null for an actor without a name.
   * @throws ServiceError `account_not_found`, with one message for an account that does not exist and for one that the person does
   * not belong to; `not_permitted`
   */
  async require(tx: Tx, account: AccountId, actor: Actor | undefined, level: AccessLevel): Promise<string | null> {
    if (actor?.kind === 'user') {
      const member = await this.memberships.find(tx, account, actor.user);
      if (member === null) throw accountNotFound();
      if (!ROLES[level].includes(member.role)) throw notPermitted(level);
      return member.email;
    }
    await this.requireAccount(tx, account);
    // A key acts for a program, which may change what runs and not who may sign in.
    if (actor?.kind === 'key' && level === 'manage') throw notPermitted(level);
    return null;
  }

  /** @throws ServiceError `account_not_found` */
  async requireAccount(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.exists(tx, account))) throw accountNotFound();
  }

  /** As `requireAccount`; accepts a deleted account too. @throws ServiceError `account_not_found` */
  async requireAccountOrDeleted(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.existsOrDeleted(tx, account))) throw accountNotFound();
  }

  /** Locks an account until the transaction ends, so that it is not deleted meanwhile. @throws ServiceError `account_not_found` */
  async lockAccount(tx: Tx, account: AccountId): Promise<Account> {
    const locked = await this.accounts.lock(tx, account);
    if (locked === null) throw accountNotFound();
    return locked;
  }
}

/** The error for a number that no account has. */
export const accountNotFound = (): ServiceError =>
  new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });

const notPermitted = (level: AccessLevel): ServiceError =>
  new ServiceError('not_permitted', `Only ${REQUIRED[level]} of the account may do this.`, { param: 'actor' });

/** Older callers name no actor; the broker lets only operators call these. @throws ServiceError `not_permitted` */
export function requireOperator(actor: Actor | undefined, message: string): void {
  if (actor !== undefined && actor.kind !== 'ops') throw new ServiceError('not_permitted', message, { param: 'actor' });
}
