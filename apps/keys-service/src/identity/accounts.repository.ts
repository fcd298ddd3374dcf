import { Injectable } from '@nestjs/common';
import { AccountId, type AccountQuotas, type AccountState, type CountedQuota, type Limits } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, IsNull, MoreThan, Not, type QueryDeepPartialEntity } from 'typeorm';
import { AccountEntity, InvitationEntity, KeyEntity, MembershipEntity } from '../db/entities.js';
import { keyOf, type StoredKey } from '../shared/key-feed.repository.js';

/** An account as repositories return it. */
export interface Account {
  readonly id: AccountId;
  readonly slug: string;
  readonly state: AccountState;
  readonly limits: Limits;
  readonly quotas: AccountQuotas;
  readonly ver: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** A number for each counted quota. */
export type QuotaCounts = Readonly<Record<CountedQuota, number>>;

const QUOTA_USE: Readonly<Record<CountedQuota, string>> = {
  keys: `SELECT count(*)::integer AS n FROM keys.key WHERE account_id = $1 AND kind = 'dep' AND state = 'active'`,
  members: `SELECT count(*)::integer AS n FROM people.membership WHERE account_id = $1`,
  invitations: `SELECT count(*)::integer AS n FROM people.invitation WHERE account_id = $1 AND closed_at IS NULL AND expires_at > now()`,
};

const accountOf = ({ id, ...row }: AccountEntity): Account => ({ ...row, id: AccountId.parse(id) });

/** Rows of accounts. Deleted accounts are found only by the methods that say so. */
@Injectable()
export class AccountsRepository {
  /** Null when the slug is taken; of concurrent calls, one succeeds. */
  async insert(tx: Tx, slug: string): Promise<Account | null> {
    const inserted = await tx.createQueryBuilder().insert().into(AccountEntity).values({ slug }).orIgnore().returning('id').execute();
    return (inserted.raw as unknown[]).length === 0 ? null : this.findBySlug(tx, slug);
  }

  /** Also a deleted account. Null when no account has or had this slug. */
  async findBySlug(tx: Tx, slug: string): Promise<Account | null> {
    const row = await tx.findOneBy(AccountEntity, { slug });
    return row && accountOf(row);
  }

  /** Null when there is no account of this number. */
  async find(tx: Tx, id: AccountId): Promise<Account | null> {
    const row = await tx.findOneBy(AccountEntity, { id, deletedAt: IsNull() });
    return row && accountOf(row);
  }

  /** As `find`, locked until the transaction ends. Rows that refer to the account can still be inserted. */
  async lock(tx: Tx, id: AccountId): Promise<Account | null> {
    const row = await tx.findOne(AccountEntity, { where: { id, deletedAt: IsNull() }, lock: { mode: 'for_no_key_update' } });
    return row && accountOf(row);
  }

  exists(tx: Tx, id: AccountId): Promise<boolean> {
    return tx.existsBy(AccountEntity, { id, deletedAt: IsNull() });
  }

  /** True for a deleted account too. */
  existsOrDeleted(tx: Tx, id: AccountId): Promise<boolean> {
    return tx.existsBy(AccountEntity, { id });
  }

  /** The current state, also of a deleted account. */
  async stateOf(tx: Tx, id: AccountId): Promise<AccountState> {
    return (await tx.findOneByOrFail(AccountEntity, { id })).state;
  }

  /** Accounts with numbers above `after`, in order of number. */
  async page(tx: Tx, after: number, limit: number): Promise<Account[]> {
    const where = { id: MoreThan(after), deletedAt: IsNull() };
    return (await tx.find(AccountEntity, { where, order: { id: 'ASC' }, take: limit })).map(accountOf);
  }

  /** Waits until all transactions that inserted rows which refer to the account have ended. */
  async awaitReferences(tx: Tx, id: AccountId): Promise<void> {
    await tx.findOne(AccountEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Writes limits under the next version. */
  setLimits(tx: Tx, id: AccountId, limits: Limits): Promise<Account> {
    return this.#change(tx, id, { limits });
  }

  /** Writes the state under the next version. */
  setState(tx: Tx, id: AccountId, state: AccountState): Promise<Account> {
    return this.#change(tx, id, { state });
  }

  /** Writes quotas under the next version. */
  setQuotas(tx: Tx, id: AccountId, quotas: AccountQuotas): Promise<Account> {
    return this.#change(tx, id, { quotas });
  }

  /** Marks the account as deleted and suspended, under the next version. */
  delete(tx: Tx, id: AccountId): Promise<Account> {
    return this.#change(tx, id, { state: 'suspended', deletedAt: () => 'now()' });
  }

  async #change(tx: Tx, id: AccountId, fields: QueryDeepPartialEntity<AccountEntity>): Promise<Account> {
    await tx.update(AccountEntity, { id }, { ...fields, ver: () => 'ver + 1' });
    return accountOf(await tx.findOneByOrFail(AccountEntity, { id }));
  }

  /** How much of a quota the account uses. */
  async quotaUse(tx: Tx, account: AccountId, quota: CountedQuota): Promise<number> {
    const [row] = await tx.query<{ n: number }[]>(QUOTA_USE[quota], [account]);
    return row?.n ?? 0;
  }

  /** Keys that were created in the last 24 hours, with those that are revoked: gateways keep these too. */
  async keysOfLastDay(tx: Tx, account: AccountId): Promise<number> {
    const [row] = await tx.query<{ n: number }[]>(
      `SELECT count(*)::integer AS n FROM keys.key WHERE account_id = $1 AND kind = 'dep' AND created_at > now() - interval '1 day'`,
      [account],
    );
    return row?.n ?? 0;
  }

  /**
   * Revokes keys of the account, `limit` at most, and returns them as they are then; none = no key is active.
   * Playground keys end with their sessions.
   */
  async revokeKeys(tx: Tx, account: AccountId, limit: number): Promise<StoredKey[]> {
    const locked = await tx.find(KeyEntity, {
      select: { id: true },
      where: { accountId: account, state: 'active', kind: Not('playground') },
      order: { id: 'ASC' },
      take: limit,
      lock: { mode: 'pessimistic_write' },
    });
    if (locked.length === 0) return [];
    const where = { id: In(locked.map(({ id }) => id)) };
    await tx.update(KeyEntity, where, { state: 'revoked', ver: () => 'ver + 1' });
    return (await tx.find(KeyEntity, { where, order: { id: 'ASC' } })).map(keyOf);
  }

  /** @returns how many members the account had */
  async deleteMemberships(tx: Tx, account: AccountId): Promise<number> {
    return (await tx.delete(MembershipEntity, { accountId: account })).affected ?? 0;
  }

  /** Deletes pending and closed invitations. */
  async deleteInvitations(tx: Tx, account: AccountId): Promise<void> {
    await tx.delete(InvitationEntity, { accountId: account });
  }
}
