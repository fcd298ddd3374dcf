import { Injectable } from '@nestjs/common';
import { AccountId, InvitationId, type MemberRole } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { IsNull, LessThan, MoreThan } from 'typeorm';
import { InvitationEntity } from '../db/entities.js';

/** A pending invitation. */
export interface Invitation {
  readonly id: InvitationId;
  readonly account: AccountId;
  /** Null = anyone with the link may accept. */
  readonly email: string | null;
  readonly role: MemberRole;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The fields of a new invitation. */
export type NewInvitation = Pick<InvitationEntity, 'email' | 'role' | 'tokenHash' | 'expiresAt'>;

const LIST_ROWS = 500;
/** How long after its expiry an invitation is deleted, in milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;

const pending = (): { closedAt: ReturnType<typeof IsNull>; expiresAt: ReturnType<typeof MoreThan<Date>> } => ({
  closedAt: IsNull(),
  expiresAt: MoreThan(new Date()),
});

const invitationOf = ({ id, accountId, email, role, createdAt, expiresAt }: InvitationEntity): Invitation => ({
  id: InvitationId.parse(id),
  account: AccountId.parse(accountId),
  email,
  role,
  createdAt,
  expiresAt,
});

/** Rows of invitations. */
@Injectable()
export class InvitationsRepository {
  /** Creates an invitation, closes the pending one of the same address, and deletes those that expired 30 days ago. */
  async replace(tx: Tx, account: AccountId, { email, ...invitation }: NewInvitation): Promise<Invitation> {
    await tx.update(InvitationEntity, { accountId: account, email: email ?? IsNull(), ...pending() }, { closedAt: () => 'now()' });
    await tx.delete(InvitationEntity, { accountId: account, expiresAt: LessThan(new Date(Date.now() - KEPT_MS)) });
    const inserted = await tx.insert(InvitationEntity, { accountId: account, email, ...invitation });
    const [{ id } = { id: 0 }] = inserted.identifiers as { id: number }[];
    return invitationOf(await tx.findOneByOrFail(InvitationEntity, { id, accountId: account }));
  }

  /** The pending invitation of a link; null when it was closed, has expired or never existed. */
  async findByToken(tx: Tx, tokenHash: Buffer): Promise<Invitation | null> {
    const row = await tx.findOneBy(InvitationEntity, { tokenHash, ...pending() });
    return row && invitationOf(row);
  }

  /** As `findByToken`, locked until the transaction ends: a link works once. */
  async lockByToken(tx: Tx, tokenHash: Buffer): Promise<Invitation | null> {
    const row = await tx.findOne(InvitationEntity, { where: { tokenHash, ...pending() }, lock: { mode: 'pessimistic_write' } });
    return row && invitationOf(row);
  }

  /** Pending invitations of an account, newest first. */
  async list(tx: Tx, account: AccountId): Promise<Invitation[]> {
    const where = { accountId: account, ...pending() };
    const rows = await tx.find(InvitationEntity, { where, order: { id: 'DESC' }, take: LIST_ROWS });
    return rows.map(invitationOf);
  }

  /** A pending invitation of the account, locked until the transaction ends. */
  async lock(tx: Tx, account: AccountId, id: InvitationId): Promise<Invitation | null> {
    const where = { id, accountId: account, ...pending() };
    const row = await tx.findOne(InvitationEntity, { where, lock: { mode: 'pessimistic_write' } });
    return row && invitationOf(row);
  }

  /** Replaces the link, so that the former one is invalid. */
  async renew(tx: Tx, { id, account }: Invitation, link: Pick<InvitationEntity, 'tokenHash' | 'expiresAt'>): Promise<void> {
    await tx.update(InvitationEntity, { id, accountId: account }, link);
  }

  /** Makes the link invalid. */
  async close(tx: Tx, { id, account }: Invitation): Promise<void> {
    await tx.update(InvitationEntity, { id, accountId: account }, { closedAt: () => 'now()' });
  }
}
