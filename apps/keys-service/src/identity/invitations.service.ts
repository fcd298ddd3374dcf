import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type InvitationId, type MemberRole, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { Authority } from './authority.service.js';
import { type Invitation, InvitationsRepository } from './invitations.repository.js';
import { MembershipsRepository } from './memberships.repository.js';
import { Quotas } from './quotas.service.js';
import { newLinkToken } from './secrets.js';

const LIFE_MS = 7 * 24 * 3_600_000;

/** A new invitation with the secret of its link, which is in this result only. */
export interface NewLink {
  readonly id: InvitationId;
  readonly token: string;
  readonly expiresAt: Date;
}

/** The address that is invited, and the role that it gets. */
export interface Guest {
  readonly account: AccountId;
  readonly email: string;
  readonly role: MemberRole;
}

/** A change of a pending invitation, as the audit log records it. */
interface InvitationAction {
  readonly account: AccountId;
  readonly id: InvitationId;
  readonly actor: Actor;
  readonly action: `invitation.${string}`;
}

/** Creates, lists, renews and revokes links by which people join an account. */
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

  /** Replaces a pending invitation of the same address. @throws ServiceError `already_member`, `quota_exceeded`, `not_permitted`, `account_not_found` */
  invite({ account, email, role }: Guest, actor: Actor): Promise<NewLink> {
    const invite = async (tx: Tx): Promise<NewLink> => {
      const actorName = await this.authority.require(tx, account, actor, 'manage');
      if (await this.memberships.hasEmail(tx, account, email)) {
        throw new ServiceError('already_member', 'The account already has a member with this address.', { param: 'email' });
      }
      const link = await this.#create(tx, account, { email, role });
      const entry = { account, actor, actorName, object: `invitation:${link.id}`, objectName: email, facts: { role } };
      await this.audit.record(tx, { ...entry, action: 'member.invite' });
      return link;
    };
    return this.quotas.inTurn(account, () => this.transactions.run(invite));
  }

  /** Creates the link of the first owner, who enters their address when they accept. @throws ServiceError `account_has_owner`, `quota_exceeded`, `not_permitted` */
  inviteFirstOwner(account: AccountId, actor: Actor): Promise<NewLink> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.authority.require(tx, account, actor, 'manage');
      if ((await this.memberships.lockOwners(tx, account)).length > 0) {
        throw new ServiceError('account_has_owner', 'This account has an owner, who invites others.', { param: 'account' });
      }
      const link = await this.#create(tx, account, { email: null, role: 'owner' });
      await this.audit.record(tx, { account, actor, actorName, action: 'account.set_up_link', object: `invitation:${link.id}` });
      return link;
    });
  }

  /** Pending invitations. @throws ServiceError `not_permitted`, `account_not_found` */
  list(account: AccountId, actor: Actor): Promise<Invitation[]> {
    return this.transactions.read(async (connection) => {
      await this.authority.require(connection, account, actor, 'manage');
      return this.invitations.list(connection, account);
    });
  }

  /** @throws ServiceError `invitation_not_found`, `not_permitted`, `account_not_found` */
  revoke(account: AccountId, id: InvitationId, actor: Actor): Promise<InvitationId> {
    return this.#change({ account, id, actor, action: 'invitation.revoke' }, async (tx, invitation) => {
      await this.invitations.close(tx, invitation);
      return id;
    });
  }

  /** Replaces the link of a pending invitation. @throws ServiceError `invitation_not_found`, `not_permitted`, `account_not_found` */
  renew(account: AccountId, id: InvitationId, actor: Actor): Promise<NewLink> {
    return this.#change({ account, id, actor, action: 'invitation.renew' }, async (tx, invitation) => {
      const { token, tokenHash } = newLinkToken();
      const expiresAt = new Date(Date.now() + LIFE_MS);
      await this.invitations.renew(tx, invitation, { tokenHash, expiresAt });
      return { id, token, expiresAt };
    });
  }

  /** Changes a pending invitation and records that. */
  #change<T>({ account, id, actor, action }: InvitationAction, change: (tx: Tx, invitation: Invitation) => Promise<T>): Promise<T> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.authority.require(tx, account, actor, 'manage');
      const invitation = await this.invitations.lock(tx, account, id);
      if (invitation === null) {
        throw new ServiceError('invitation_not_found', 'There is no pending invitation of this number.', { param: 'invitation' });
      }
      const changed = await change(tx, invitation);
      await this.audit.record(tx, { account, actor, actorName, action, object: `invitation:${id}`, objectName: invitation.email });
      return changed;
    });
  }

  async #create(tx: Tx, account: AccountId, { email, role }: Pick<Invitation, 'email' | 'role'>): Promise<NewLink> {
    const { token, tokenHash } = newLinkToken();
    const expiresAt = new Date(Date.now() + LIFE_MS);
    const invitation = { email, role, tokenHash, expiresAt };
    const { id } = await this.quotas.admit(tx, account, 'invitations', () => this.invitations.replace(tx, account, invitation));
    return { id, token, expiresAt };
  }
}
