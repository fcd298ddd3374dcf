import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { AccountsRepository } from './accounts.repository.js';
import { Quotas } from './quotas.service.js';
import { type Invitation, InvitationsRepository } from './invitations.repository.js';
import { hashOf } from './link-token.js';
import { MembershipsRepository } from './memberships.repository.js';
import type { Person } from './people.repository.js';

/** What a link invites to, for who has it. */
export interface InvitationFacts extends Invitation {
  readonly slug: string;
}

/** The way into an account: an invitation becomes a membership, once. */
@Injectable()
export class JoiningService {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly quotas: Quotas,
    private readonly invitations: InvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ServiceError `invitation_not_found`, in the same words for links that were used, expired or invented */
  find(token: string): Promise<InvitationFacts> {
    return this.transactions.read(async (connection) => {
      const invitation = await this.invitations.findByToken(connection, hashOf(token));
      const account = invitation && (await this.accounts.find(connection, invitation.account));
      if (!invitation || !account) throw invitationNotFound();
      return { ...invitation, slug: account.slug };
    });
  }

  /** The invitation behind a link, held until the transaction ends. @throws ServiceError `invitation_not_found` */
  async hold(tx: Tx, token: string): Promise<InvitationFacts> {
    const invitation = await this.invitations.holdByToken(tx, hashOf(token));
    const account = invitation && (await this.accounts.find(tx, invitation.account));
    if (!invitation || !account) throw invitationNotFound();
    // A set-up link names nobody: once somebody owns the account, it must open nothing.
    if (invitation.email === null && (await this.memberships.holdOwners(tx, invitation.account)).length > 0) throw invitationNotFound();
    return { ...invitation, slug: account.slug };
  }

  /**
   * Refuses an account that is full, whoever the address belongs to: only members need no room. Holds the account until the
   * transaction ends. @throws ServiceError `quota_exceeded`, `account_not_found`
   */
  async requireRoom(tx: Tx, { account }: Invitation, email: string): Promise<void> {
    if (await this.memberships.holdsEmail(tx, account, email)) return;
    await this.quotas.requireRoom(tx, account, 'members');
  }

  /** Somebody who belongs to the account already keeps their role. */
  async admit(tx: Tx, invitation: Invitation, person: Person, origin: Origin): Promise<void> {
    const { account, role } = invitation;
    await this.invitations.close(tx, invitation);
    await this.quotas.admit(tx, account, 'members', () => this.memberships.add(tx, account, { user: person.id, role }));
    const actor = { kind: 'user', user: person.id, ...origin } as const;
    const entry = { account, actor, actorName: person.email, object: `user:${person.id}`, objectName: person.email };
    await this.audit.record(tx, { ...entry, action: 'member.join', facts: { role, invitation: invitation.id } });
  }
}

/** One answer to every link that opens nothing. */
export const invitationNotFound = (): ServiceError =>
  new ServiceError('invitation_not_found', 'This link opens nothing: it was used or replaced, or has expired. Ask for another one.');
