import { Injectable } from '@nestjs/common';
import { type AccountId, ServiceError } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { keyRecord } from '../feed/feed-records.js';
import { KeyFeedPublisher } from '../feed/key-feed-publisher.js';
import { type KeyChange, KeysRepository, type NewKey, type StoredKey } from './keys.repository.js';

/** A key after a change, and whether gateways obey it already. */
export interface ObeyedChange {
  readonly key: StoredKey;
  readonly propagated: boolean;
  /** The live gateways that have not confirmed. */
  readonly missing: readonly string[];
}

/** The one way to change a key: its row and the record that gateways get, in one transaction. */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly keys: KeysRepository,
    private readonly feed: KeyFeedPublisher,
  ) {}

  /** Null when it is an MCP key and the account has one. */
  create(key: NewKey): Promise<StoredKey | null> {
    return this.transactions.run(async (tx) => {
      await this.requireAccount(tx, key.account);
      const created = await this.keys.insert(tx, key);
      if (created !== null) await this.#record(tx, created);
      return created;
    });
  }

  /**
   * Changes the key that `choose` holds, then waits for the gateways, a second at most. What they did
   * not confirm by then is committed all the same.
   */
  async change(choose: (tx: Tx) => Promise<{ held: StoredKey; change: KeyChange }>): Promise<ObeyedChange> {
    const { key, ticket } = await this.transactions.run(async (tx) => {
      const { held, change } = await choose(tx);
      const changed = await this.keys.change(tx, held, change);
      return { key: changed, ticket: await this.#record(tx, changed) };
    });
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { key, propagated, missing: waiting };
  }

  /** @throws ServiceError `account_not_found` */
  async requireAccount(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.holds(tx, account))) {
      throw new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
    }
  }

  #record(tx: Tx, key: StoredKey): Promise<string> {
    return this.feed.record(tx, { op: 'put', ...keyRecord(key) });
  }
}
