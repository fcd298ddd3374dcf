import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type InvitationId, type MemberRole, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { Quotas } from './quotas.service.js';
import { Authority } from './authority.service.js';
import { type Invitation, InvitationsRepository } from './invitations.repository.js';
import { newLinkToken } from './link-token.js';
import { MembershipsRepository } from './memberships.repository.js';

const LIFE_MS = 7 * 24 * 3_600_000;

/** A new invitation with the secret of its link, in clear for the one reply that shows it. */
export interface NewLink {
  readonly id: InvitationId;
  readonly token: string;
  readonly expiresAt: Date;
}

/** Who is invited to what. */
export interface Guest {
  readonly account: AccountId;
  readonly email: string;
  readonly role: MemberRole;
}

/** Links by which people come into an account. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly quotas: Quotas,
    private readonly invitations: InvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly audit: AuditLog,
  ) {}

  /** In place of an invitation of the same address that waits. */
  invite({ account, email, role }: Guest, actor: Actor): Promise<NewLink> {
    const make = async (tx: Tx): Promise<NewLink> => {
      const actorName = await this.authority.require(tx, account, actor, 'manage');
      if (await this.memberships.holdsEmail(tx, account, email)) {
        throw new ServiceError('already_member', 'Whoever has this address belongs to the account already.', { param: 'email' });
      }
      const link = await this.#make(tx, account, { email, role });
      const entry = { account, actor, actorName, object: `invitation:${link.id}`, objectName: email, facts: { role } };
      await this.audit.record(tx, { ...entry, action: 'member.invite' });
      return link;
    };
    return this.quotas.inTurn(account, () => this.transactions.run(make));
  }

  /** The link of the first owner, who is not known by any address yet. */
  inviteFirstOwner(account: AccountId, actor: Actor): Promise<NewLink> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.authority.require(tx, account, actor, 'manage');
      if ((await this.memberships.holdOwners(tx, account)).length > 0) {
        throw new ServiceError('account_has_owner', 'This account has an owner, who invites others.', { param: 'account' });
      }
      const link = await this.#make(tx, account, { email: null, role: 'owner' });
      await this.audit.record(tx, { account, actor, actorName, action: 'account.set_up_link', object: `invitation:${link.id}` });
      return link;
    });
  }

  list(account: AccountId, actor: Actor): Promise<Invitation[]> {
    return this.transactions.read(async (connection) => {
      await this.authority.require(connection, account, actor, 'manage');
      return this.invitations.list(connection, account);
    });
  }

  revoke(account: AccountId, id: InvitationId, actor: Actor): Promise<InvitationId> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.authority.require(tx, account, actor, 'manage');
      const held = await this.invitations.hold(tx, account, id);
      if (held === null) throw new ServiceError('invitation_not_found', 'No invitation of this number waits.', { param: 'invitation' });
      await this.invitations.close(tx, held);
      const entry = { account, actor, actorName, object: `invitation:${id}`, objectName: held.email };
      await this.audit.record(tx, { ...entry, action: 'invitation.revoke' });
      return id;
    });
  }

  async #make(tx: Tx, account: AccountId, { email, role }: Pick<Invitation, 'email' | 'role'>): Promise<NewLink> {
    const { token, tokenHash } = newLinkToken();
    const expiresAt = new Date(Date.now() + LIFE_MS);
    const invitation = { email, role, tokenHash, expiresAt };
    const { id } = await this.quotas.admit(tx, account, 'invitations', () => this.invitations.replace(tx, account, invitation));
    return { id, token, expiresAt };
  }
}
