import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, isServiceError, PLAYGROUND_KEY_LIFE_S, ServiceError, type SessionId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { Authority } from './authority.service.js';
import { goesOn, idleEnd } from './session-times.js';
import { type Session, SessionsRepository } from './sessions.repository.js';
import type { PlaygroundHolder } from './playground-keys.repository.js';

/** Decides who gets a key of the playground, and until when. */
@Injectable()
export class PlaygroundAdmission {
  constructor(
    private readonly authority: Authority,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * The session is held until the transaction ends: of its end and this, the later one knows of the other.
   * @throws ServiceError `session_ended`, `account_not_found`, `not_permitted`
   */
  async admit(
    tx: Tx,
    { account, session: id, actor }: { readonly account: AccountId; readonly session: SessionId; readonly actor: Actor },
  ): Promise<{ holder: PlaygroundHolder; actorName: string | null }> {
    const actorName = await this.authority.require(tx, account, actor, 'change');
    const session = await this.sessions.hold(tx, id);
    const isTheirs = actor.kind === 'user' && session?.user === actor.user;
    if (!session || !isTheirs || !goesOn(session, Date.now())) throw playgroundEnded();
    return { holder: { account, session: id, expiresAt: endOf(session) }, actorName };
  }

  /**
   * The same for somebody who has a key, by its account and session.
   * @throws ServiceError `session_ended`
   */
  async readmit(tx: Tx, holder: Pick<PlaygroundHolder, 'account' | 'session'> | null): Promise<PlaygroundHolder> {
    const session = holder && (await this.sessions.hold(tx, holder.session));
    if (!session || !goesOn(session, Date.now())) throw playgroundEnded();
    const { account, session: id } = holder;
    try {
      await this.authority.require(tx, account, { kind: 'user', user: session.user }, 'change');
    } catch (error) {
      throw isServiceError(error) ? playgroundEnded() : error;
    }
    return { account, session: id, expiresAt: endOf(session) };
  }
}

const endOf = (session: Session): Date => new Date(Math.min(Date.now() + PLAYGROUND_KEY_LIFE_S * 1_000, idleEnd(session).getTime()));

/** One answer to every key and session that is over. */
export const playgroundEnded = (): ServiceError => new ServiceError('session_ended', 'This session is over; sign in again.');
