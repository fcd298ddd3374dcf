import { Injectable } from '@nestjs/common';
import type { SessionFeedRecord } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { FeedSource, StoredRecord } from '@slipway/feed';
import { sessionRecord } from './session-feed-record.js';
import { SessionsRepository } from './sessions.repository.js';

const PREFIX = 'session:';

/** All records of the session feed in pages, by session. */
@Injectable()
export class SessionFeedSource implements FeedSource<SessionFeedRecord> {
  readonly #sessions = new SessionsRepository();

  constructor(private readonly transactions: Transactions) {}

  page(after: string | null, limit: number): Promise<readonly StoredRecord<SessionFeedRecord>[]> {
    const last = after?.startsWith(PREFIX) ? after.slice(PREFIX.length) : '';
    return this.transactions.read(async (connection) => (await this.#sessions.voided(connection, last, limit)).map(sessionRecord));
  }
}
