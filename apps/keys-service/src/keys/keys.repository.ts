import { Injectable } from '@nestjs/common';
import { AccountId, type DeploymentId, type KeyCreator, KeyId, type Limits } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, LessThan } from 'typeorm';
import { KeyEntity } from '../db/entities.js';
import { keyOf, type StoredKey } from '../shared/key-feed.repository.js';
import type { MintedKey } from '../shared/key-minting.js';

/** The fields of a new key. */
export interface NewKey {
  readonly account: AccountId;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The only deployments that it may call; null or absent = all of the account. */
  readonly deployments?: DeploymentId[] | null | undefined;
  readonly limits?: Limits | undefined;
  readonly stored: MintedKey['stored'];
  readonly createdBy?: KeyCreator | null | undefined;
}

/** New values of fields that gateways get. */
export type KeyChange = Partial<Pick<StoredKey, 'mac' | 'pepper' | 'hint' | 'state' | 'expiresAt' | 'deployments' | 'limits'>>;

/** An active MCP key with its account. */
export interface ActiveMcpKey {
  readonly key: KeyId;
  readonly account: AccountId;
  readonly slug: string;
  /** Limits of the account. */
  readonly limits: Limits;
  readonly mac: Buffer;
}

/** The last use of an MCP key. */
export interface McpUse {
  readonly usedAt: Date;
  /** The name that the client gave; null = none. */
  readonly client: string | null;
}

const ACTIVE_MCP = `
  SELECT k.id, k.account_id, k.mac, a.slug, a.limits
  FROM keys.key k JOIN accounts.account a ON a.id = k.account_id
  WHERE k.mac = ANY($1) AND k.kind = 'mcp' AND k.state = 'active' AND a.state = 'active'`;

/** Ignores a number that is not the account's MCP key. */
const RECORD_MCP_USE = `
  INSERT INTO keys.mcp_use (key_id, used_at, client)
  SELECT id, now(), $3 FROM keys.key WHERE id = $1 AND account_id = $2 AND kind = 'mcp'
  ON CONFLICT (key_id) DO UPDATE SET used_at = excluded.used_at, client = excluded.client`;

const NAMES = `SELECT email, name FROM people.person WHERE email = ANY($1) AND name <> ''`;

/** Rows of deployment keys and MCP keys. All statements but `findActiveMcp` and the names of creators name the account, so that none reaches another account's keys. */
@Injectable()
export class KeysRepository {
  /** Null when it is an MCP key and the account already has one; of concurrent calls, one succeeds. */
  async insert(
    tx: Tx,
    { account, name, expiresAt, deployments = null, limits = {}, createdBy = null, stored }: NewKey,
  ): Promise<StoredKey | null> {
    const values = { accountId: account, name, expiresAt, deployments, limits, createdBy, ...stored };
    const inserted = await tx.createQueryBuilder().insert().into(KeyEntity).values(values).orIgnore().returning('id').execute();
    const [row] = inserted.raw as { id: number }[];
    return row === undefined ? null : keyOf(await tx.findOneByOrFail(KeyEntity, { id: row.id, accountId: account }));
  }

  /** An account's deployment key, locked until the transaction ends; null when it has none of this number. */
  async lock(tx: Tx, account: AccountId, id: KeyId): Promise<StoredKey | null> {
    const where = { id, accountId: account, kind: 'dep' as const };
    const row = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    return row && keyOf(row);
  }

  /** Those of these deployment keys that the account has, by number, locked until the transaction ends. */
  async lockAll(tx: Tx, account: AccountId, ids: readonly KeyId[]): Promise<StoredKey[]> {
    const where = { id: In([...ids]), accountId: account, kind: 'dep' as const };
    const rows = await tx.find(KeyEntity, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    return rows.map(keyOf);
  }

  /** An account's deployment key; null when it has none of this number. */
  async find(tx: Tx, account: AccountId, id: KeyId): Promise<StoredKey | null> {
    const row = await tx.findOneBy(KeyEntity, { id, accountId: account, kind: 'dep' });
    return row && keyOf(row);
  }

  /** Writes a change under the next version. A new MAC counts as a rotation. */
  async change(tx: Tx, { id, account }: StoredKey, change: KeyChange): Promise<StoredKey> {
    const rotated = change.mac && { rotatedAt: () => 'now()' };
    await tx.update(KeyEntity, { id, accountId: account }, { ...change, ...rotated, ver: () => 'ver + 1' });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id, accountId: account }));
  }

  /** Gateways do not get names, so the version stays. */
  async rename(tx: Tx, key: StoredKey, name: string): Promise<StoredKey> {
    await tx.update(KeyEntity, { id: key.id, accountId: key.account }, { name });
    return { ...key, name };
  }

  /** An account's deployment keys with numbers below `before`, newest first. */
  async list(tx: Tx, account: AccountId, { before, limit }: { before: number | null; limit: number }): Promise<StoredKey[]> {
    const where = { accountId: account, kind: 'dep' as const, ...(before !== null && { id: LessThan(before) }) };
    const rows = await tx.find(KeyEntity, { where, order: { id: 'DESC' }, take: limit });
    return rows.map(keyOf);
  }

  /** Adds what the people who made these keys are called now. */
  async withCreators(tx: Tx, keys: readonly StoredKey[]): Promise<StoredKey[]> {
    const emailOf = ({ createdBy: by }: StoredKey): string | null => (by?.actor === 'user' ? by.name : null);
    const emails = [...new Set(keys.flatMap((key) => emailOf(key) ?? []))];
    const rows = await tx.query<{ email: string; name: string }[]>(NAMES, [emails]);
    const names = new Map(rows.map(({ email, name }) => [email, name]));
    return keys.map((key) => {
      const person = names.get(emailOf(key) ?? '');
      return person === undefined || !key.createdBy ? key : { ...key, createdBy: { ...key.createdBy, person } };
    });
  }

  /** An account's MCP key; null while it has none. */
  async findMcp(tx: Tx, account: AccountId): Promise<StoredKey | null> {
    const row = await tx.findOneBy(KeyEntity, { accountId: account, kind: 'mcp' });
    return row && keyOf(row);
  }

  /** An account's MCP key, locked until the transaction ends; null while it has none. */
  async lockMcp(tx: Tx, account: AccountId): Promise<StoredKey | null> {
    const row = await tx.findOne(KeyEntity, { where: { accountId: account, kind: 'mcp' }, lock: { mode: 'pessimistic_write' } });
    return row && keyOf(row);
  }

  /** All active MCP keys with one of these MACs, of active accounts. */
  async findActiveMcp(tx: Tx, macs: readonly Buffer[]): Promise<ActiveMcpKey[]> {
    const rows = await tx.query<{ id: number; account_id: number; mac: Buffer; slug: string; limits: Limits }[]>(ACTIVE_MCP, [macs]);
    return rows.map(({ id, account_id: account, ...row }) => ({ ...row, key: KeyId.parse(id), account: AccountId.parse(account) }));
  }

  async recordMcpUse(tx: Tx, { key, account, client }: { key: KeyId; account: AccountId; client: string | null }): Promise<void> {
    await tx.query(RECORD_MCP_USE, [key, account, client]);
  }

  /** Null when the key was never used. */
  async findMcpUse(tx: Tx, key: KeyId): Promise<McpUse | null> {
    const [row] = await tx.query<{ used_at: Date; client: string | null }[]>(`SELECT used_at, client FROM keys.mcp_use WHERE key_id = $1`, [
      key,
    ]);
    return row ? { usedAt: row.used_at, client: row.client } : null;
  }
}
