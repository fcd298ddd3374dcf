import { Inject, Injectable } from '@nestjs/common';
import { KeyFeed, type KeyFeedRecord, SESSION_TOKEN_LIFE_S, SessionFeed, type SessionFeedRecord } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { keyRecord } from '../shared/feed-records.js';
import { PlaygroundKeysRepository } from './playground-keys.repository.js';
import { sessionRecord } from './session-feed-record.js';
import { type Session, type SessionFilter, SessionsRepository } from './sessions.repository.js';

/** Clocks of consoles may be off by so much, in seconds. */
const CLOCK_SKEW_S = 60;

/** The one way to take tokens back, and the playground's keys with them: the rows and the records that consoles and gateways get, in the caller's transaction. */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly sessions: SessionsRepository,
    @Inject(publisherOf(SessionFeed)) private readonly feed: FeedPublisher<SessionFeedRecord, Tx>,
    private readonly playground: PlaygroundKeysRepository,
    @Inject(publisherOf(KeyFeed)) private readonly keyFeed: FeedPublisher<KeyFeedRecord, Tx>,
  ) {}

  /** Ends sessions, and returns those that went on until now. */
  endAll(tx: Tx, filter: SessionFilter): Promise<Session[]> {
    return this.#void(tx, filter, true);
  }

  /** The sessions go on, but with new tokens only. */
  async voidTokens(tx: Tx, filter: SessionFilter): Promise<void> {
    await this.#void(tx, filter, false);
  }

  async #void(tx: Tx, filter: SessionFilter, end: boolean): Promise<Session[]> {
    const held = await this.sessions.holdAll(tx, filter);
    const until = new Date(Date.now() + (SESSION_TOKEN_LIFE_S + CLOCK_SKEW_S) * 1_000);
    const ids = held.map(({ id }) => id);
    const voided = await this.sessions.voidTokens(tx, ids, { until, end });
    for (const session of voided) await this.feed.record(tx, { op: 'put', ...sessionRecord(session) });
    for (const key of await this.playground.end(tx, ids)) await this.keyFeed.record(tx, { op: 'put', ...keyRecord(key) });
    return voided;
  }
}
