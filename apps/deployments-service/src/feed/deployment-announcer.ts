import type { DeploymentFeedRecord } from '@slipway/contracts';
import type { Transactions } from '@slipway/database';
import type { FeedPublisher } from '@slipway/feed';
import type { FeedChange } from './feed-records.js';

/** A running transaction. */
export type Transaction = Parameters<Parameters<Transactions['run']>[0]>[0];

/** Tells others what changed: gateways by the feed, this replica's placer by a call. */
export class DeploymentAnnouncer {
  constructor(
    private readonly feed: Pick<FeedPublisher<DeploymentFeedRecord, Transaction>, 'record'>,
    private readonly placer: { changed(): void },
  ) {}

  /** Gateways hear of the change once the transaction commits. */
  async record(tx: Transaction, change: FeedChange): Promise<void> {
    await this.feed.record(tx, change);
  }

  /** What was recorded is committed: the placer need not wait for its next look. Other replicas' placers find it themselves. */
  committed(): void {
    this.placer.changed();
  }
}
