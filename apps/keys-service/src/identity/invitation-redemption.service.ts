import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { AccountsRepository } from './accounts.repository.js';
import { type Invitation, InvitationsRepository } from './invitations.repository.js';
import { MembershipsRepository } from './memberships.repository.js';
import type { Person } from './people.repository.js';
import { Quotas } from './quotas.service.js';
import { hashOf } from './secrets.js';

/** A pending invitation with the slug of its account. */
export interface InvitationDetails extends Invitation {
  readonly slug: string;
}

/** Turns an invitation into a membership, once. */
@Injectable()
export class InvitationRedemption {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly quotas: Quotas,
    private readonly invitations: InvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly audit: AuditLog,
  ) {}

  /** The invitation of a link. @throws ServiceError `invitation_not_found`, with one message for used, expired and invented links */
  find(token: string): Promise<InvitationDetails> {
    return this.transactions.read(async (connection) =>
      this.#details(connection, await this.invitations.findByToken(connection, hashOf(token))),
    );
  }

  /** The invitation of a link, locked until the transaction ends. @throws ServiceError `invitation_not_found` */
  async lock(tx: Tx, token: string): Promise<InvitationDetails> {
    const invitation = await this.#details(tx, await this.invitations.lockByToken(tx, hashOf(token)));
    // A set-up link has no address, so it is void as soon as the account has an owner.
    if (invitation.email === null && (await this.memberships.lockOwners(tx, invitation.account)).length > 0) throw invitationNotFound();
    return invitation;
  }

  /**
   * Refuses an account that is full, whether or not the address is known to the service; members of the account need no room.
   * Locks the account until the transaction ends.
   * @throws ServiceError `quota_exceeded`, `account_not_found`
   */
  async requireRoom(tx: Tx, { account }: Invitation, email: string): Promise<void> {
    if (await this.memberships.hasEmail(tx, account, email)) return;
    await this.quotas.requireRoom(tx, account, 'members');
  }

  /** Adds a person to the account and closes the invitation. A person who is a member already keeps their role. @throws ServiceError `quota_exceeded` */
  async redeem(tx: Tx, invitation: Invitation, person: Person, origin: Origin): Promise<void> {
    const { account, role } = invitation;
    await this.invitations.close(tx, invitation);
    await this.quotas.admit(tx, account, 'members', () => this.memberships.add(tx, account, { user: person.id, role }));
    const actor = { kind: 'user', user: person.id, ...origin } as const;
    const entry = { account, actor, actorName: person.email, object: `user:${person.id}`, objectName: person.email };
    await this.audit.record(tx, { ...entry, action: 'member.join', facts: { role, invitation: invitation.id } });
  }

  async #details(tx: Tx, invitation: Invitation | null): Promise<InvitationDetails> {
    const account = invitation && (await this.accounts.find(tx, invitation.account));
    if (!invitation || !account) throw invitationNotFound();
    return { ...invitation, slug: account.slug };
  }
}

/** The error for every link that is not valid. */
export const invitationNotFound = (): ServiceError =>
  new ServiceError('invitation_not_found', 'This link is not valid: it was used or replaced, or has expired. Ask for another one.');
