import { Injectable } from '@nestjs/common';
import type { KeyFeedRecord } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { FeedSource, StoredRecord } from '@slipway/feed';
import { AccountsRepository } from '../identity/accounts.repository.js';
import { KeysRepository } from '../keys/keys.repository.js';
import { accountRecord, keyRecord } from './feed-records.js';

const RECORD_ID = /^(account|key):(\d{1,10})$/;

/** All records of the key feed in pages: accounts by number, then keys by number. */
@Injectable()
export class KeyFeedSource implements FeedSource<KeyFeedRecord> {
  readonly #accounts = new AccountsRepository();
  readonly #keys = new KeysRepository();

  constructor(private readonly transactions: Transactions) {}

  page(after: string | null, limit: number): Promise<readonly StoredRecord<KeyFeedRecord>[]> {
    const [, type = 'account', number = '0'] = RECORD_ID.exec(after ?? '') ?? [];
    return this.transactions.read(async (connection) => {
      if (type === 'key') return (await this.#keys.page(connection, Number(number), limit)).map(keyRecord);
      const accounts = (await this.#accounts.pageOfAll(connection, Number(number), limit)).map(accountRecord);
      const room = limit - accounts.length;
      return room === 0 ? accounts : [...accounts, ...(await this.#keys.page(connection, 0, room)).map(keyRecord)];
    });
  }
}
