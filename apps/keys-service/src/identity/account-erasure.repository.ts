import { Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, IsNull, MoreThan, Not } from 'typeorm';
import { KeyEntity } from '../db/key.entity.js';
import { keyOf, type StoredKey } from '../keys/keys.repository.js';
import { InvitationEntity } from '../db/invitation.entity.js';
import { MembershipEntity } from '../db/membership.entity.js';

/** Takes away what belongs to an account. */
@Injectable()
export class AccountErasureRepository {
  /** Revokes keys of the account, at most so many, and returns them as they are now; none = all are. Keys of the playground end with their sessions. */
  async revokeKeys(tx: Tx, account: AccountId, limit: number): Promise<StoredKey[]> {
    const held = await tx.find(KeyEntity, {
      select: { id: true },
      where: { accountId: account, state: 'active', kind: Not('playground') },
      order: { id: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write' },
    });
    if (held.length === 0) return [];
    const where = { id: In(held.map(({ id }) => id)) };
    await tx.update(KeyEntity, where, { state: 'revoked', ver: () => 'ver + 1' });
    return (await tx.find(KeyEntity, { where, order: { id: 'ASC' } })).map(keyOf);
  }

  /** Returns how many there were. */
  async eraseMemberships(tx: Tx, account: AccountId): Promise<number> {
    return (await tx.delete(MembershipEntity, { accountId: account })).affected ?? 0;
  }

  /** How many wait. */
  waitingInvitations(tx: Tx, account: AccountId): Promise<number> {
    return tx.countBy(InvitationEntity, { accountId: account, closedAt: IsNull(), expiresAt: MoreThan(new Date()) });
  }

  async eraseInvitations(tx: Tx, account: AccountId): Promise<void> {
    await tx.delete(InvitationEntity, { accountId: account });
  }
}
