import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type MemberRole, ServiceError } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { AccountsRepository } from './accounts.repository.js';
import { MembershipsRepository } from './memberships.repository.js';

/** What an action needs: `read` any role, `change` a member or owner, `manage` an owner. */
export type Need = 'read' | 'change' | 'manage';

const ROLES: Record<Need, readonly MemberRole[]> = {
  read: ['owner', 'member', 'viewer'],
  change: ['owner', 'member'],
  manage: ['owner'],
};
const WANTED: Record<Need, string> = { read: 'a member', change: 'a member or an owner', manage: 'an owner' };

/** Decides, with the roles of this moment, whether somebody may do something in an account. */
@Injectable()
export class Authority {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly memberships: MembershipsRepository,
  ) {}

  /**
   * Returns the actor's name for the audit log, null for one that has none.
   * @throws ServiceError `account_not_found`, with the same words for none and for one that is not theirs; `not_permitted`.
   */
  async require(tx: Tx, account: AccountId, actor: Actor | undefined, need: Need): Promise<string | null> {
    if (actor?.kind === 'user') {
      const member = await this.memberships.find(tx, account, actor.user);
      if (member === null) throw accountNotFound();
      if (!ROLES[need].includes(member.role)) throw notPermitted(need);
      return member.email;
    }
    await this.requireAccount(tx, account);
    // A key acts for programs: it changes what runs, never who may sign in.
    if (actor?.kind === 'key' && need === 'manage') throw notPermitted(need);
    return null;
  }

  /** @throws ServiceError `account_not_found` */
  async requireAccount(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.holds(tx, account))) throw accountNotFound();
  }

  /** The same, of an account that was deleted too. @throws ServiceError `account_not_found` */
  async requireAccountOnce(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.held(tx, account))) throw accountNotFound();
  }
}

const accountNotFound = (): ServiceError =>
  new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });

const notPermitted = (need: Need): ServiceError =>
  new ServiceError('not_permitted', `Only ${WANTED[need]} of the account may do this.`, { param: 'actor' });
