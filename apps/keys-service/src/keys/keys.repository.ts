import { Injectable } from '@nestjs/common';
import { AccountId, DeploymentId, KeyId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { MoreThan } from 'typeorm';
import { KeyEntity } from './key.entity.js';
import type { MintedKey } from './key-minting.js';

/** A key as the rest of the service knows it. */
export interface StoredKey {
  readonly id: KeyId;
  readonly account: AccountId;
  readonly kind: 'dep' | 'mcp';
  readonly name: string;
  readonly mac: Buffer;
  readonly pepper: string;
  readonly hint: string;
  readonly state: 'active' | 'revoked';
  readonly expiresAt: Date | null;
  readonly deployments: DeploymentId[] | null;
  readonly ver: number;
  readonly createdAt: Date;
}

const keyOf = ({ id, accountId, deployments, ...row }: KeyEntity): StoredKey => ({
  ...row,
  id: KeyId.parse(id),
  account: AccountId.parse(accountId),
  deployments: deployments && deployments.map((deployment) => DeploymentId.parse(deployment)),
});

/** Every statement on keys names their account, so that none can reach another's. */
@Injectable()
export class KeysRepository {
  async insert(tx: Tx, account: AccountId, name: string, stored: MintedKey['stored']): Promise<StoredKey> {
    const { identifiers } = await tx.insert(KeyEntity, { accountId: account, name, ...stored });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id: Number(identifiers[0]?.['id']), accountId: account }));
  }

  /** An account's keys of one kind, newest first. */
  async list(tx: Tx, account: AccountId, kind: 'dep' | 'mcp'): Promise<StoredKey[]> {
    const rows = await tx.find(KeyEntity, { where: { accountId: account, kind }, order: { id: 'DESC' } });
    return rows.map(keyOf);
  }

  /** Keys of all accounts with ids above `after`, in order of id: for the feed's snapshot alone. */
  async page(tx: Tx, after: number, limit: number): Promise<StoredKey[]> {
    const rows = await tx.find(KeyEntity, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
    return rows.map(keyOf);
  }
}
