import { Injectable } from '@nestjs/common';
import { AccountId, DeploymentId, type KeyCreator, KeyId, type KeyKind, type Limits } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { LessThan } from 'typeorm';
import { KeyEntity } from '../db/key.entity.js';
import type { MintedKey } from '../shared/key-minting.js';

/** A key as the rest of the service knows it. */
export interface StoredKey {
  readonly id: KeyId;
  readonly account: AccountId;
  /** `playground`: by which the console calls for somebody; in no list. */
  readonly kind: KeyKind | 'playground';
  readonly name: string;
  readonly mac: Buffer;
  readonly pepper: string;
  readonly hint: string;
  readonly state: 'active' | 'revoked';
  readonly expiresAt: Date | null;
  readonly deployments: DeploymentId[] | null;
  readonly limits: Limits;
  readonly ver: number;
  readonly createdAt: Date;
  readonly createdBy: KeyCreator | null;
  readonly rotatedAt: Date | null;
}

/** What gateways are told of a key. */
export type FeedKey = Pick<
  StoredKey,
  'id' | 'account' | 'kind' | 'mac' | 'pepper' | 'state' | 'expiresAt' | 'deployments' | 'limits' | 'ver'
>;

/** What a new key is made of. */
export interface NewKey {
  readonly account: AccountId;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** Null = all of the account. */
  readonly deployments?: DeploymentId[] | null | undefined;
  readonly limits?: Limits | undefined;
  readonly stored: MintedKey['stored'];
  readonly createdBy?: KeyCreator | null | undefined;
}

/** What may change in a key and gateways are told of. */
export type KeyChange = Partial<Pick<StoredKey, 'mac' | 'pepper' | 'hint' | 'state' | 'expiresAt' | 'deployments' | 'limits'>>;

/** A row as the rest of the service knows it. */
export const keyOf = ({ id, accountId, deployments, sessionId: _session, ...row }: KeyEntity): StoredKey => ({
  ...row,
  id: KeyId.parse(id),
  account: AccountId.parse(accountId),
  deployments: deployments && deployments.map((deployment) => DeploymentId.parse(deployment)),
});

/** Every statement on keys names their account, so that none can reach another's. */
@Injectable()
export class KeysRepository {
  /** Null when it is an MCP key and the account has one; of calls at once, one gets it. */
  async insert(
    tx: Tx,
    { account, name, expiresAt, deployments = null, limits = {}, createdBy = null, stored }: NewKey,
  ): Promise<StoredKey | null> {
    const values = { accountId: account, name, expiresAt, deployments, limits, createdBy, ...stored };
    const inserted = await tx.createQueryBuilder().insert().into(KeyEntity).values(values).orIgnore().returning('id').execute();
    const [row] = inserted.raw as { id: number }[];
    return row === undefined ? null : keyOf(await tx.findOneByOrFail(KeyEntity, { id: row.id, accountId: account }));
  }

  /** An account's deployment key; null when there is none of that number. Held until the transaction ends. */
  async lock(tx: Tx, account: AccountId, id: KeyId): Promise<StoredKey | null> {
    const where = { id, accountId: account, kind: 'dep' as const };
    const row = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    return row && keyOf(row);
  }

  /** An account's MCP key; null while it has none. Held until the transaction ends. */
  async lockMcp(tx: Tx, account: AccountId): Promise<StoredKey | null> {
    const row = await tx.findOne(KeyEntity, { where: { accountId: account, kind: 'mcp' }, lock: { mode: 'pessimistic_write' } });
    return row && keyOf(row);
  }

  /** Writes a change under the next version. Another value is a rotation. */
  async change(tx: Tx, { id, account }: StoredKey, change: KeyChange): Promise<StoredKey> {
    const rotated = change.mac && { rotatedAt: () => 'now()' };
    await tx.update(KeyEntity, { id, accountId: account }, { ...change, ...rotated, ver: () => 'ver + 1' });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id, accountId: account }));
  }

  /** Names are not told to gateways: the version stays. Null when there is no such deployment key. */
  /** The key under its new name, and the name that it had; null where there is none. */
  async rename(tx: Tx, account: AccountId, { id, name }: { id: KeyId; name: string }): Promise<{ key: StoredKey; was: string } | null> {
    const where = { id, accountId: account, kind: 'dep' as const };
    const row = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    if (row === null) return null;
    await tx.update(KeyEntity, where, { name });
    return { key: { ...keyOf(row), name }, was: row.name };
  }

  /** An account's deployment keys, newest first, with ids below `before`. */
  async list(tx: Tx, account: AccountId, { before, limit }: { before: number | null; limit: number }): Promise<StoredKey[]> {
    const where = { accountId: account, kind: 'dep' as const, ...(before !== null && { id: LessThan(before) }) };
    const rows = await tx.find(KeyEntity, { where, order: { id: 'DESC' }, take: limit });
    return rows.map(keyOf);
  }

  async findMcp(tx: Tx, account: AccountId): Promise<StoredKey | null> {
    const row = await tx.findOneBy(KeyEntity, { accountId: account, kind: 'mcp' });
    return row && keyOf(row);
  }

  /**
   * Keys of all accounts with ids above `after`, in order of id: for the feed's snapshot alone. Every gateway that starts
   * reads all of them, so only what it needs is read, and no entities are made.
   */
  page(tx: Tx, after: number, limit: number): Promise<FeedKey[]> {
    return tx.query<FeedKey[]>(
      `SELECT id, account_id AS account, kind, mac, pepper, state, expires_at AS "expiresAt", deployments, limits, ver
       FROM keys.key WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
  }
}
