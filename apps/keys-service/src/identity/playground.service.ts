import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, isServiceError, PLAYGROUND_KEY_LIFE_S, type SessionId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { KeyFeedChanges, type StoredKey } from '../shared/key-feed.repository.js';
import { KeyMint } from '../shared/key-minting.js';
import { Authority } from './authority.service.js';
import { idleEnd, isLive, sessionEnded } from './session-times.js';
import { type Session, SessionsRepository } from './sessions.repository.js';
import { type PlaygroundGrant, ShortLivedKeysRepository } from './short-lived-keys.repository.js';

/** A session that asks for a playground key. */
export interface PlaygroundRequest {
  readonly account: AccountId;
  readonly session: SessionId;
  readonly actor: Actor;
  /** The key that the session has. */
  readonly value?: string | undefined;
}

/** The key of a session; `value` null = the key that was sent stays valid. */
export interface PlaygroundKey {
  readonly key: StoredKey;
  readonly value: string | null;
}

/** Decides which sessions get a playground key, and until when. */
@Injectable()
export class PlaygroundAdmission {
  constructor(
    private readonly authority: Authority,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Locks the session until the transaction ends, so that its end voids the key.
   * @throws ServiceError `session_ended`, `account_not_found`, `not_permitted`
   */
  async admit(tx: Tx, { account, session: id, actor }: PlaygroundRequest): Promise<{ grant: PlaygroundGrant; actorName: string | null }> {
    const actorName = await this.authority.require(tx, account, actor, 'change');
    const session = await this.sessions.lock(tx, id);
    const isTheirs = actor.kind === 'user' && session?.user === actor.user;
    if (!session || !isTheirs || !isLive(session, Date.now())) throw sessionEnded();
    return { grant: { kind: 'playground', account, session: id, expiresAt: keyEnd(session) }, actorName };
  }

  /** As `admit`, for the owner of a presented key. @throws ServiceError `session_ended` */
  async readmit(tx: Tx, owner: Pick<PlaygroundGrant, 'account' | 'session'> | null): Promise<PlaygroundGrant> {
    const session = owner && (await this.sessions.lock(tx, owner.session));
    if (!session || !isLive(session, Date.now())) throw sessionEnded();
    const { account, session: id } = owner;
    try {
      await this.authority.require(tx, account, { kind: 'user', user: session.user }, 'change');
    } catch (error) {
      throw isServiceError(error) ? sessionEnded() : error;
    }
    return { kind: 'playground', account, session: id, expiresAt: keyEnd(session) };
  }
}

const keyEnd = (session: Session): Date => new Date(Math.min(Date.now() + PLAYGROUND_KEY_LIFE_S * 1_000, idleEnd(session).getTime()));

/** Issues the keys with which the console calls the gateway for a session. */
@Injectable()
export class PlaygroundKeys {
  constructor(
    private readonly transactions: Transactions,
    private readonly admission: PlaygroundAdmission,
    private readonly keys: ShortLivedKeysRepository,
    private readonly mint: KeyMint,
    private readonly feed: KeyFeedChanges,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Prolongs the session's key, or issues a new one and waits for the gateways, 1 s at most.
   * @throws ServiceError `session_ended`, `account_not_found`, `not_permitted`
   */
  async open(request: PlaygroundRequest): Promise<PlaygroundKey> {
    const { ticket, ...opened } = await this.transactions.run(async (tx) => {
      const { grant, actorName } = await this.admission.admit(tx, request);
      const key = (await this.#prolong(tx, grant, request.value)) ?? (await this.#create(tx, grant, { actor: request.actor, actorName }));
      return { ...key, ticket: await this.feed.putKey(tx, key.key) };
    });
    if (opened.value !== null) await this.feed.propagation(ticket);
    return opened;
  }

  /**
   * Prolongs a key for its own session and account. Returns its new expiry.
   * @throws ServiceError `session_ended`, also where the person may no longer use the playground
   */
  prolong(value: string): Promise<Date> {
    return this.transactions.run(async (tx) => {
      const grant = await this.admission.readmit(tx, await this.keys.findOwner(tx, this.mint.macsOf(value)));
      const prolonged = await this.#prolong(tx, grant, value);
      if (prolonged === null) throw sessionEnded();
      await this.feed.putKey(tx, prolonged.key);
      return grant.expiresAt;
    });
  }

  async #prolong(tx: Tx, grant: PlaygroundGrant, value: string | undefined): Promise<PlaygroundKey | null> {
    const key = value === undefined ? null : await this.keys.prolong(tx, grant, this.mint.macsOf(value));
    return key && { key, value: null };
  }

  async #create(tx: Tx, grant: PlaygroundGrant, by: { actor: Actor; actorName: string | null }): Promise<PlaygroundKey> {
    const { value, stored } = this.mint.mint('dep');
    const key = await this.keys.create(tx, grant, stored);
    const entry = { ...by, account: grant.account, action: 'playground.open', object: `key:${key.id}`, objectName: key.name };
    await this.audit.record(tx, entry);
    return { key, value };
  }
}
