import { Injectable } from '@nestjs/common';
import { AccountId, type AccountQuotas, type AccountState, type Limits } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { IsNull, MoreThan, type QueryDeepPartialEntity } from 'typeorm';
import { AccountEntity } from '../db/account.entity.js';

/** An account as the rest of the service knows it. */
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

const accountOf = ({ id, ...row }: AccountEntity): Account => ({ ...row, id: AccountId.parse(id) });

/** Accounts that were deleted are found where a method says so, and nowhere else. */
@Injectable()
export class AccountsRepository {
  /** Null when the slug is taken; of calls at once, one gets it. */
  async insert(tx: Tx, slug: string): Promise<Account | null> {
    const inserted = await tx.createQueryBuilder().insert().into(AccountEntity).values({ slug }).orIgnore().returning('id').execute();
    return (inserted.raw as unknown[]).length === 0 ? null : this.findBySlug(tx, slug);
  }

  /** Null when no account has or had that slug. */
  async findBySlug(tx: Tx, slug: string): Promise<Account | null> {
    const row = await tx.findOneBy(AccountEntity, { slug });
    return row && accountOf(row);
  }

  /** Null when there is no account of that number. */
  async find(tx: Tx, id: AccountId): Promise<Account | null> {
    const row = await tx.findOneBy(AccountEntity, { id, deletedAt: IsNull() });
    return row && accountOf(row);
  }

  /** Writes limits under the next version. */
  setLimits(tx: Tx, id: AccountId, limits: Limits): Promise<Account> {
    return this.#change(tx, id, { limits });
  }

  /** Writes the state under the next version. */
  setState(tx: Tx, id: AccountId, state: AccountState): Promise<Account> {
    return this.#change(tx, id, { state });
  }

  /** Null when there is no account of that number. Held until the transaction ends: what refers to it can be added meanwhile. */
  async hold(tx: Tx, id: AccountId): Promise<Account | null> {
    const row = await tx.findOne(AccountEntity, { where: { id, deletedAt: IsNull() }, lock: { mode: 'for_no_key_update' } });
    return row && accountOf(row);
  }

  /** The state of this moment, of a deleted account too. */
  async stateOf(tx: Tx, id: AccountId): Promise<AccountState> {
    return (await tx.findOneByOrFail(AccountEntity, { id })).state;
  }

  /** Waits for all transactions that have added something that refers to the account. */
  async awaitReferences(tx: Tx, id: AccountId): Promise<void> {
    await tx.findOne(AccountEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Writes quotas under the next version. */
  setQuotas(tx: Tx, id: AccountId, quotas: AccountQuotas): Promise<Account> {
    return this.#change(tx, id, { quotas });
  }

  /** From now on nobody finds it but by its slug. Writes it under the next version. */
  delete(tx: Tx, id: AccountId): Promise<Account> {
    return this.#change(tx, id, { state: 'suspended', deletedAt: () => 'now()' });
  }

  async #change(tx: Tx, id: AccountId, fields: QueryDeepPartialEntity<AccountEntity>): Promise<Account> {
    await tx.update(AccountEntity, { id }, { ...fields, ver: () => 'ver + 1' });
    return accountOf(await tx.findOneByOrFail(AccountEntity, { id }));
  }

  holds(tx: Tx, id: AccountId): Promise<boolean> {
    return tx.existsBy(AccountEntity, { id, deletedAt: IsNull() });
  }

  /** The same, of accounts that were deleted too. */
  held(tx: Tx, id: AccountId): Promise<boolean> {
    return tx.existsBy(AccountEntity, { id });
  }

  /** Accounts with ids above `after`, in order of id. */
  async page(tx: Tx, after: number, limit: number): Promise<Account[]> {
    const where = { id: MoreThan(after), deletedAt: IsNull() };
    return (await tx.find(AccountEntity, { where, order: { id: 'ASC' }, take: limit })).map(accountOf);
  }

  /** The same, with accounts that were deleted: for the feed's snapshot. */
  async pageOfAll(tx: Tx, after: number, limit: number): Promise<Account[]> {
    return (await tx.find(AccountEntity, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit })).map(accountOf);
  }
}
