import { Injectable } from '@nestjs/common';
import { AccountId, InvitationId, type MemberRole } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { IsNull, LessThan, MoreThan } from 'typeorm';
import { InvitationEntity } from '../db/invitation.entity.js';

/** An invitation that waits. */
export interface Invitation {
  readonly id: InvitationId;
  readonly account: AccountId;
  readonly email: string | null;
  readonly role: MemberRole;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** What a new invitation is made of. */
export type NewInvitation = Pick<InvitationEntity, 'email' | 'role' | 'tokenHash' | 'expiresAt'>;

const LIST_ROWS = 500;
const waits = (): { closedAt: ReturnType<typeof IsNull>; expiresAt: ReturnType<typeof MoreThan<Date>> } => ({
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

@Injectable()
export class InvitationsRepository {
  /** Makes an invitation in place of those of the same address that wait, and forgets those that expired long ago. */
  async replace(tx: Tx, account: AccountId, { email, ...invitation }: NewInvitation): Promise<Invitation> {
    await tx.update(InvitationEntity, { accountId: account, email: email ?? IsNull(), ...waits() }, { closedAt: () => 'now()' });
    await tx.delete(InvitationEntity, { accountId: account, expiresAt: LessThan(new Date(Date.now() - FORGOTTEN_AFTER_MS)) });
    const inserted = await tx.insert(InvitationEntity, { accountId: account, email, ...invitation });
    const [{ id } = { id: 0 }] = inserted.identifiers as { id: number }[];
    return invitationOf(await tx.findOneByOrFail(InvitationEntity, { id, accountId: account }));
  }

  /** The invitation behind a link. Null when it was accepted or revoked, expired, or never made. */
  async findByToken(tx: Tx, tokenHash: Buffer): Promise<Invitation | null> {
    const row = await tx.findOneBy(InvitationEntity, { tokenHash, ...waits() });
    return row && invitationOf(row);
  }

  /** The same, held until the transaction ends: a link opens once. */
  async holdByToken(tx: Tx, tokenHash: Buffer): Promise<Invitation | null> {
    const row = await tx.findOne(InvitationEntity, { where: { tokenHash, ...waits() }, lock: { mode: 'pessimistic_write' } });
    return row && invitationOf(row);
  }

  async list(tx: Tx, account: AccountId): Promise<Invitation[]> {
    const rows = await tx.find(InvitationEntity, { where: { accountId: account, ...waits() }, order: { id: 'DESC' }, take: LIST_ROWS });
    return rows.map(invitationOf);
  }

  /** An invitation of the account that waits, held until the transaction ends. */
  async hold(tx: Tx, account: AccountId, id: InvitationId): Promise<Invitation | null> {
    const row = await tx.findOne(InvitationEntity, { where: { id, accountId: account, ...waits() }, lock: { mode: 'pessimistic_write' } });
    return row && invitationOf(row);
  }

  /** Its link opens nothing any more. */
  async close(tx: Tx, { id, account }: Invitation): Promise<void> {
    await tx.update(InvitationEntity, { id, accountId: account }, { closedAt: () => 'now()' });
  }
}

const FORGOTTEN_AFTER_MS = 30 * 24 * 3_600_000;
