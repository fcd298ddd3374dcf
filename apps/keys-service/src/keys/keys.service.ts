import { Injectable } from '@nestjs/common';
import { type AccountId, type KeyId, ServiceError } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { keyRecord } from '../feed/feed-records.js';
import { KeyFeedPublisher } from '../feed/key-feed-publisher.js';
import { KeyMint } from './key-minting.js';
import { KeysRepository, type StoredKey } from './keys.repository.js';

/** A key with its value, which exists in this reply alone. */
export interface ShownKey {
  readonly id: KeyId;
  readonly value: string;
  readonly hint: string;
}

@Injectable()
export class KeysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly keys: KeysRepository,
    private readonly mint: KeyMint,
    private readonly feed: KeyFeedPublisher,
  ) {}

  create(account: AccountId, name: string): Promise<ShownKey> {
    const { value, stored } = this.mint.mint('dep');
    return this.transactions.run(async (tx) => {
      await this.#requireAccount(tx, account);
      const key = await this.keys.insert(tx, account, name, stored);
      await this.feed.record(tx, { op: 'put', ...keyRecord(key) });
      return { id: key.id, value, hint: key.hint };
    });
  }

  list(account: AccountId): Promise<StoredKey[]> {
    return this.transactions.read(async (connection) => {
      await this.#requireAccount(connection, account);
      return this.keys.list(connection, account, 'dep');
    });
  }

  async #requireAccount(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.holds(tx, account))) {
      throw new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
    }
  }
}
