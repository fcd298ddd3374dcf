import type { DeploymentFeedRecord } from '@slipway/contracts';
import { AuditLog, type AuditRecord, type Transactions } from '@slipway/database';
import type { FeedPublisher } from '@slipway/feed';
import type { FeedChange } from './feed-records.js';

/** A running transaction. */
export type Transaction = Parameters<Parameters<Transactions['run']>[0]>[0];

/** Tells others what changed: gateways by the feed, this replica's placer by a call, owners by the audit log. */
export class DeploymentAnnouncer {
  readonly #audit = new AuditLog();

  constructor(
    private readonly feed: Pick<FeedPublisher<DeploymentFeedRecord, Transaction>, 'record'>,
    private readonly placer: { changed(): void },
  ) {}

  /** Gateways hear of the change once the transaction commits. */
  async record(tx: Transaction, change: FeedChange): Promise<void> {
    await this.feed.record(tx, change);
  }

  /** Writes down who did it, with the change or not at all. */
  async writeDown(tx: Transaction, deed: AuditRecord): Promise<void> {
    await this.#audit.record(tx, deed);
  }

  /** What was recorded is committed: the placer need not wait for its next look. Other replicas' placers find it themselves. */
  committed(): void {
    this.placer.changed();
  }
}
