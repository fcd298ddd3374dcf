import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, type Actor, KeyFeed, type KeyFeedRecord, type SessionId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { keyRecord } from '../shared/feed-records.js';
import { KeyMint } from '../shared/key-minting.js';
import type { StoredKey } from '../keys/keys.repository.js';
import { PlaygroundAdmission, playgroundEnded } from './playground-admission.service.js';
import { PlaygroundKeysRepository, type PlaygroundHolder } from './playground-keys.repository.js';

/** Who asks for a key, and for what. */
export interface PlaygroundWish {
  readonly account: AccountId;
  readonly session: SessionId;
  readonly actor: Actor;
  /** The key that it has. */
  readonly value?: string | undefined;
}

/** A key of the playground; `value` null = the one that was sent lives on. */
export interface OpenedPlayground {
  readonly key: StoredKey;
  readonly value: string | null;
}

/** Gives sessions the keys by which the console calls for them. */
@Injectable()
export class PlaygroundKeys {
  constructor(
    private readonly transactions: Transactions,
    private readonly admission: PlaygroundAdmission,
    private readonly keys: PlaygroundKeysRepository,
    private readonly mint: KeyMint,
    @Inject(publisherOf(KeyFeed)) private readonly feed: FeedPublisher<KeyFeedRecord, Tx>,
    private readonly audit: AuditLog,
  ) {}

  /**
   * A new key is returned when the gateways know it, or after a second.
   * @throws ServiceError `session_ended`, `account_not_found`, `not_permitted`
   */
  async open(wish: PlaygroundWish): Promise<OpenedPlayground> {
    const { ticket, ...opened } = await this.transactions.run(async (tx) => {
      const { holder, actorName } = await this.admission.admit(tx, wish);
      const opening = (await this.#prolong(tx, holder, wish.value)) ?? (await this.#make(tx, holder, { ...wish, actorName }));
      return { ...opening, ticket: await this.feed.record(tx, { op: 'put', ...keyRecord(opening.key) }) };
    });
    if (opened.value !== null) await this.feed.propagation(ticket);
    return opened;
  }

  /**
   * Prolongs a key for its own session and account, and returns when it ends now.
   * @throws ServiceError `session_ended`, also where its person may not use the playground any more
   */
  keep(value: string): Promise<Date> {
    return this.transactions.run(async (tx) => {
      const holder = await this.admission.readmit(tx, await this.keys.findHolder(tx, this.mint.macsOf(value)));
      const kept = await this.#prolong(tx, holder, value);
      if (kept === null) throw playgroundEnded();
      await this.feed.record(tx, { op: 'put', ...keyRecord(kept.key) });
      return holder.expiresAt;
    });
  }

  async #prolong(tx: Tx, holder: PlaygroundHolder, value: string | undefined): Promise<OpenedPlayground | null> {
    const key = value === undefined ? null : await this.keys.prolong(tx, holder, this.mint.macsOf(value));
    return key && { key, value: null };
  }

  async #make(
    tx: Tx,
    holder: PlaygroundHolder,
    { account, actor, actorName }: PlaygroundWish & { actorName: string | null },
  ): Promise<OpenedPlayground> {
    const { value, stored } = this.mint.mint('dep');
    const key = await this.keys.make(tx, holder, stored);
    const entry = { account, actor, actorName, action: 'playground.open', object: `key:${key.id}`, objectName: key.name };
    await this.audit.record(tx, entry);
    return { key, value };
  }
}
