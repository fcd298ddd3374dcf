import { Injectable } from '@nestjs/common';
import { AccountId, KeyId, SessionId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, LessThan, MoreThan } from 'typeorm';
import { KeyEntity } from '../db/entities.js';
import { keyOf, type StoredKey } from '../shared/key-feed.repository.js';
import type { MintedKey } from '../shared/key-minting.js';

/** What usage calls the keys with which our own services call the gateway for people. */
const NAME_OF = { playground: 'Playground', evaluation: 'Evaluation' } as const;
/** How long after its key ended a number is used again, in milliseconds: by then no gateway serves a request of the old key. */
const REUSED_AFTER_MS = 60_000;
/** Numbers of one kind per reply. */
const IDS_MAX = 500;

type Kind = keyof typeof NAME_OF;

/** For whom a playground key is made, and when it expires. */
export interface PlaygroundGrant {
  readonly kind: 'playground';
  readonly account: AccountId;
  readonly session: SessionId;
  readonly expiresAt: Date;
}

/** The same of a key of an account's evaluations, which have no session. */
interface EvaluationGrant {
  readonly kind: 'evaluation';
  readonly account: AccountId;
  readonly session?: undefined;
  readonly expiresAt: Date;
}

export type KeyGrant = PlaygroundGrant | EvaluationGrant;

/** Rows of keys of the playground and of evaluations. Their numbers are used again, so that usage and gateways have few of them. */
@Injectable()
export class ShortLivedKeysRepository {
  /** The account and session of the live playground key with one of these MACs; null when there is none. */
  async findOwner(tx: Tx, macs: readonly Buffer[]): Promise<Pick<PlaygroundGrant, 'account' | 'session'> | null> {
    const where = { kind: 'playground', state: 'active', mac: In([...macs]), expiresAt: MoreThan(new Date()) } as const;
    const found = await tx.findOneBy(KeyEntity, where);
    if (!found || found.sessionId === null) return null;
    return { account: AccountId.parse(found.accountId), session: SessionId.parse(found.sessionId) };
  }

  /** Sets a new expiry of the live key with one of these MACs that was made for the same; null when there is none. */
  async prolong(tx: Tx, { kind, account, session, expiresAt }: KeyGrant, macs: readonly Buffer[]): Promise<StoredKey | null> {
    const live = { accountId: account, kind, state: 'active', mac: In([...macs]), expiresAt: MoreThan(new Date()) } as const;
    const where = session === undefined ? live : { ...live, sessionId: session };
    const found = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    return found && this.#change(tx, found.id, { expiresAt });
  }

  /** Creates a key, under the number of an ended one where there is one. */
  async create(tx: Tx, { kind, account, session, expiresAt }: KeyGrant, { mac, pepper, hint }: MintedKey['stored']): Promise<StoredKey> {
    const values = { mac, pepper, hint, sessionId: session ?? null, expiresAt };
    const reusable = await tx.findOne(KeyEntity, {
      where: { accountId: account, kind, state: 'active', expiresAt: LessThan(new Date(Date.now() - REUSED_AFTER_MS)) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
    if (reusable) return this.#change(tx, reusable.id, values);
    const { identifiers } = await tx.insert(KeyEntity, { ...values, accountId: account, kind, name: NAME_OF[kind], limits: {} });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id: Number(identifiers[0]?.['id']) }));
  }

  /** Ends the live playground keys of sessions, and returns them. */
  async end(tx: Tx, sessions: readonly SessionId[]): Promise<StoredKey[]> {
    const where = { sessionId: In([...sessions]), kind: 'playground', expiresAt: MoreThan(new Date()) } as const;
    const live = await tx.find(KeyEntity, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    const ended: StoredKey[] = [];
    for (const { id } of live) ended.push(await this.#change(tx, id, { expiresAt: new Date() }));
    return ended;
  }

  /** Numbers of an account's keys of a kind, by which usage can be attributed. */
  async idsOf(tx: Tx, account: AccountId, kind: Kind): Promise<KeyId[]> {
    const where = { accountId: account, kind } as const;
    const rows = await tx.find(KeyEntity, { select: { id: true }, where, order: { id: 'ASC' }, take: IDS_MAX });
    return rows.map(({ id }) => KeyId.parse(id));
  }

  async #change(tx: Tx, id: number, change: Partial<KeyEntity>): Promise<StoredKey> {
    await tx.update(KeyEntity, { id }, { ...change, ver: () => 'ver + 1' });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id }));
  }
}
