import { Inject, Injectable } from '@nestjs/common';
import { SESSION_TOKEN_LIFE_S, SessionFeed, type SessionFeedRecord } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { KeyFeedChanges } from '../shared/key-feed.repository.js';
import { type Session, type SessionFilter, sessionRecord, SessionsRepository } from './sessions.repository.js';
import { ShortLivedKeysRepository } from './short-lived-keys.repository.js';

/** How far the clocks of consoles may differ, in seconds. */
const CLOCK_SKEW_S = 60;

/** Voids the tokens and playground keys of sessions: their rows and feed records change in the caller's transaction. */
@Injectable()
export class SessionRevocation {
  constructor(
    private readonly sessions: SessionsRepository,
    @Inject(publisherOf(SessionFeed)) private readonly feed: FeedPublisher<SessionFeedRecord, Tx>,
    private readonly playground: ShortLivedKeysRepository,
    private readonly keyFeed: KeyFeedChanges,
  ) {}

  /** Ends sessions. @returns those that had not ended before */
  endAll(tx: Tx, filter: SessionFilter): Promise<Session[]> {
    return this.#void(tx, filter, true);
  }

  /** Voids the tokens of sessions, which can get new ones by a refresh. */
  async voidTokens(tx: Tx, filter: SessionFilter): Promise<void> {
    await this.#void(tx, filter, false);
  }

  async #void(tx: Tx, filter: SessionFilter, end: boolean): Promise<Session[]> {
    const locked = await this.sessions.lockAll(tx, filter);
    const until = new Date(Date.now() + (SESSION_TOKEN_LIFE_S + CLOCK_SKEW_S) * 1_000);
    const ids = locked.map(({ id }) => id);
    const voided = await this.sessions.voidTokens(tx, ids, { until, end });
    for (const session of voided) await this.feed.record(tx, { op: 'put', ...sessionRecord(session) });
    for (const key of await this.playground.end(tx, ids)) await this.keyFeed.putKey(tx, key);
    return voided;
  }
}
