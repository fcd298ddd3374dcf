import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type ChangedBy,
  DeploymentFeed,
  type DeploymentFeedRecord,
  type DeploymentId,
} from '@slipway/contracts';
import { AuditLog, type AuditRecord, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { EventsRepository, type OwnersAction } from '../events/events.repository.js';
import type { FeedChange } from '../feed/feed-records.js';
import { Placer } from './placer.js';

/** A change that an owner asked for. */
interface OwnersChange extends AuditRecord {
  readonly account: AccountId;
  readonly action: OwnersAction;
  /** The revision that it made. */
  readonly rev?: number;
  /** True = the service made the change itself. */
  readonly isOwn?: boolean;
}

function numberOf(actor: Actor | undefined): number | null {
  if (actor?.kind === 'user') return actor.user;
  return actor?.kind === 'key' ? actor.key : null;
}

/** Who asked for a change, as members may see it. */
export const changedBy = ({ actor, actorName = null }: Pick<AuditRecord, 'actor' | 'actorName'>): ChangedBy => ({
  actor: actor?.kind ?? 'unknown',
  actor_id: numberOf(actor),
  actor_name: actorName,
});

/** Announces a change: to gateways by the feed, to this replica's placer by a call, to owners by the audit log and by events. */
@Injectable()
export class DeploymentAnnouncer {
  readonly #feed: FeedPublisher<DeploymentFeedRecord, Tx>;
  readonly #audit: AuditLog;
  readonly #events: EventsRepository;
  readonly #placer: Placer;

  constructor(
    @Inject(publisherOf(DeploymentFeed)) feed: FeedPublisher<DeploymentFeedRecord, Tx>,
    audit: AuditLog,
    events: EventsRepository,
    placer: Placer,
  ) {
    this.#feed = feed;
    this.#audit = audit;
    this.#events = events;
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

  /** The same, and as an event of these deployments. */
  async changed(tx: Tx, { rev, isOwn = false, ...record }: OwnersChange, ...deployments: readonly DeploymentId[]): Promise<void> {
    await this.#audit.record(tx, record);
    const { account, action: kind, facts = {} } = record;
    const by = isOwn ? {} : { by: changedBy(record) };
    for (const deployment of deployments) await this.#events.add(tx, { deployment, account, kind, rev: rev ?? null, ...by, facts });
  }

  /** To be called after the commit: wakes the placer of this replica. Those of other replicas get the NOTIFY of `record`. */
  committed(): void {
    this.#placer.changed();
  }
}
