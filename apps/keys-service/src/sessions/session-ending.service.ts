import { Injectable } from '@nestjs/common';
import { SESSION_TOKEN_LIFE_S } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { SessionFeedPublisher } from './session-feed-publisher.js';
import { sessionRecord } from './session-feed-record.js';
import { type Session, type SessionFilter, SessionsRepository } from './sessions.repository.js';

/** Clocks of consoles may be off by so much, in seconds. */
const CLOCK_SKEW_S = 60;

/** The one way to take tokens back: the rows and the records that consoles get, in the caller's transaction. */
@Injectable()
export class SessionEnding {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly feed: SessionFeedPublisher,
  ) {}

  /** Ends sessions of a person, and returns those that went on until now. */
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
    const voided = await this.sessions.voidTokens(
      tx,
      held.map(({ id }) => id),
      { until, end },
    );
    for (const session of voided) await this.feed.record(tx, { op: 'put', ...sessionRecord(session) });
    return voided;
  }
}
