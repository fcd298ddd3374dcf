import { Inject, Injectable } from '@nestjs/common';
import {
  AccountId,
  type AccountQuotas,
  type AccountState,
  DeploymentId,
  type KeyCreator,
  KeyFeed,
  type KeyFeedRecord,
  KeyId,
  type KeyKind,
  type Limits,
} from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { type FeedPublisher, type FeedSource, publisherOf, type StoredRecord } from '@slipway/feed';
import { MoreThan } from 'typeorm';
import { AccountEntity, type KeyEntity } from '../db/entities.js';

/** A key as repositories return it. */
export interface StoredKey {
  readonly id: KeyId;
  readonly account: AccountId;
  /** `playground`: the console's key for one session; `evaluation`: tuning-service's. They are in no list. */
  readonly kind: KeyKind | 'playground' | 'evaluation';
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

/** Reads a row of the key table. */
export const keyOf = ({ id, accountId, deployments, sessionId: _session, ...row }: KeyEntity): StoredKey => ({
  ...row,
  id: KeyId.parse(id),
  account: AccountId.parse(accountId),
  deployments: deployments && deployments.map((deployment) => DeploymentId.parse(deployment)),
});

/** The fields of a key that gateways get. */
type FeedKey = Pick<StoredKey, 'id' | 'account' | 'kind' | 'mac' | 'pepper' | 'state' | 'expiresAt' | 'deployments' | 'limits' | 'ver'>;

/** The fields of an account that gateways get. */
interface FeedAccount {
  readonly id: AccountId;
  readonly slug: string;
  readonly state: AccountState;
  readonly limits: Limits;
  readonly quotas: AccountQuotas;
  readonly ver: number;
}

/** Left out when empty: most accounts and keys have no limits, and gateways keep all records in memory. */
const limitsOf = (limits: Limits): { limits?: Limits } => (Object.keys(limits).length === 0 ? {} : { limits });

const accountRecord = ({ id, slug, state, limits, quotas: { uploads }, ver }: FeedAccount): StoredRecord<KeyFeedRecord> => ({
  id: `account:${id}`,
  ver,
  rec: { type: 'account', id, slug, state, ...limitsOf(limits), ...(uploads !== undefined && { uploads }) },
});

/** Enough to verify a presented key, never enough to make one. */
const keyRecord = ({ kind, mac, expiresAt, limits, ver, ...key }: FeedKey): StoredRecord<KeyFeedRecord> => ({
  id: `key:${key.id}`,
  ver,
  rec: {
    type: 'key',
    id: key.id,
    account: key.account,
    // Gateways treat keys of the playground and of evaluations as deployment keys.
    kind: kind === 'playground' || kind === 'evaluation' ? 'dep' : kind,
    mac: mac.toString('base64url'),
    pepper: key.pepper,
    state: key.state,
    expires: expiresAt?.getTime() ?? null,
    deployments: key.deployments,
    ...limitsOf(limits),
  },
});

/** Whether all live gateways apply a change. */
export interface Propagation {
  readonly propagated: boolean;
  /** Names of the live gateways that have not confirmed. */
  readonly missing: string[];
}

/** Publishes changes of accounts and keys to gateways. */
@Injectable()
export class KeyFeedChanges {
  constructor(@Inject(publisherOf(KeyFeed)) private readonly feed: FeedPublisher<KeyFeedRecord, Tx>) {}

  /** Records a change in the caller's transaction. @returns the ticket to wait with */
  putAccount(tx: Tx, account: FeedAccount): Promise<string> {
    return this.feed.record(tx, { op: 'put', ...accountRecord(account) });
  }

  /** Records a change in the caller's transaction. @returns the ticket to wait with */
  putKey(tx: Tx, key: StoredKey): Promise<string> {
    return this.feed.record(tx, { op: 'put', ...keyRecord(key) });
  }

  /** Waits for the gateways after the commit, 1 s at most. */
  async propagation(ticket: string): Promise<Propagation> {
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { propagated, missing: [...waiting] };
  }
}

const RECORD_ID = /^(account|key):(\d{1,10})$/;

/** All records of the key feed in pages, for its snapshots: accounts by number, then keys by number. */
@Injectable()
export class KeyFeedSource implements FeedSource<KeyFeedRecord> {
  constructor(private readonly transactions: Transactions) {}

  page(after: string | null, limit: number): Promise<readonly StoredRecord<KeyFeedRecord>[]> {
    const [, type = 'account', number = '0'] = RECORD_ID.exec(after ?? '') ?? [];
    return this.transactions.read(async (connection) => {
      if (type === 'key') return this.#keys(connection, Number(number), limit);
      const accounts = await this.#accounts(connection, Number(number), limit);
      return accounts.length === limit ? accounts : [...accounts, ...(await this.#keys(connection, 0, limit - accounts.length))];
    });
  }

  /** Deleted accounts are included: they are published as suspended. */
  async #accounts(tx: Tx, after: number, limit: number): Promise<StoredRecord<KeyFeedRecord>[]> {
    const rows = await tx.find(AccountEntity, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
    return rows.map(({ id, ...row }) => accountRecord({ ...row, id: AccountId.parse(id) }));
  }

  /** Every gateway that starts reads all keys: only the needed columns are read, and no entities are made. */
  async #keys(tx: Tx, after: number, limit: number): Promise<StoredRecord<KeyFeedRecord>[]> {
    const rows = await tx.query<FeedKey[]>(
      `SELECT id, account_id AS account, kind, mac, pepper, state, expires_at AS "expiresAt", deployments, limits, ver
       FROM keys.key WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows.map(keyRecord);
  }
}
