import { Inject, Injectable } from '@nestjs/common';
import { DeploymentFeed, type DeploymentFeedRecord } from '@slipway/contracts';
import { AuditLog, type AuditRecord, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import type { FeedChange } from '../feed/feed-records.js';
import { Placer } from './placer.js';

/** Announces a change: to gateways by the feed, to this replica's placer by a call, to owners by the audit log. */
@Injectable()
export class DeploymentAnnouncer {
  readonly #feed: FeedPublisher<DeploymentFeedRecord, Tx>;
  readonly #audit: AuditLog;
  readonly #placer: Placer;

  constructor(@Inject(publisherOf(DeploymentFeed)) feed: FeedPublisher<DeploymentFeedRecord, Tx>, audit: AuditLog, placer: Placer) {
    this.#feed = feed;
    this.#audit = audit;
    this.#placer = placer;
  }

  /** Records the change in the feed, which publishes it once the transaction commits. */
  async record(tx: Tx, change: FeedChange): Promise<void> {
    await this.#feed.record(tx, change);
  }

  /** Records who made the change, in the same transaction. */
  async audit(tx: Tx, record: AuditRecord): Promise<void> {
    await this.#audit.record(tx, record);
  }

  /** To be called after the commit: wakes the placer of this replica. Those of other replicas get the NOTIFY of `record`. */
  committed(): void {
    this.#placer.changed();
  }
}
