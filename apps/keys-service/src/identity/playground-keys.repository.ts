import { Injectable } from '@nestjs/common';
import { AccountId, KeyId, SessionId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, LessThan, MoreThan } from 'typeorm';
import { KeyEntity } from '../db/entities.js';
import { keyOf, type StoredKey } from '../shared/key-feed.repository.js';
import type { MintedKey } from '../shared/key-minting.js';

const KIND = 'playground';
/** The name that usage shows. */
const NAME = 'Playground';
/** How long after its key ended a number is used again, in milliseconds: by then no gateway serves a request of the old key. */
const REUSED_AFTER_MS = 60_000;
/** Numbers per reply. */
const IDS_MAX = 500;

/** The session that a playground key is for, its account, and when the key expires. */
export interface PlaygroundGrant {
  readonly account: AccountId;
  readonly session: SessionId;
  readonly expiresAt: Date;
}

/** Rows of playground keys. Their numbers are used again, so that usage and gateways have few of them. */
@Injectable()
export class PlaygroundKeysRepository {
  /** The account and session of the live key with one of these MACs; null when there is none. */
  async findOwner(tx: Tx, macs: readonly Buffer[]): Promise<Pick<PlaygroundGrant, 'account' | 'session'> | null> {
    const found = await tx.findOneBy(KeyEntity, { kind: KIND, mac: In([...macs]), expiresAt: MoreThan(new Date()) });
    if (!found || found.sessionId === null) return null;
    return { account: AccountId.parse(found.accountId), session: SessionId.parse(found.sessionId) };
  }

  /** Sets a new expiry of the session's live key with one of these MACs; null when there is none. */
  async prolong(tx: Tx, { account, session, expiresAt }: PlaygroundGrant, macs: readonly Buffer[]): Promise<StoredKey | null> {
    const where = { accountId: account, sessionId: session, kind: KIND, mac: In([...macs]), expiresAt: MoreThan(new Date()) } as const;
    const found = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    return found && this.#change(tx, found.id, { expiresAt });
  }

  /** Creates a key, under the number of an ended one where there is one. */
  async create(tx: Tx, { account, session, expiresAt }: PlaygroundGrant, { mac, pepper, hint }: MintedKey['stored']): Promise<StoredKey> {
    const values = { mac, pepper, hint, sessionId: session, expiresAt };
    const reusable = await tx.findOne(KeyEntity, {
      where: { accountId: account, kind: KIND, expiresAt: LessThan(new Date(Date.now() - REUSED_AFTER_MS)) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
    if (reusable) return this.#change(tx, reusable.id, values);
    const row = { ...values, accountId: account, kind: KIND, name: NAME, limits: {} } as const;
    const { identifiers } = await tx.insert(KeyEntity, row);
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id: Number(identifiers[0]?.['id']) }));
  }

  /** Ends the live keys of sessions, and returns them. */
  async end(tx: Tx, sessions: readonly SessionId[]): Promise<StoredKey[]> {
    const where = { sessionId: In([...sessions]), kind: KIND, expiresAt: MoreThan(new Date()) } as const;
    const live = await tx.find(KeyEntity, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    const ended: StoredKey[] = [];
    for (const { id } of live) ended.push(await this.#change(tx, id, { expiresAt: new Date() }));
    return ended;
  }

  /** Numbers of an account's playground keys, by which usage can be attributed to the playground. */
  async idsOf(tx: Tx, account: AccountId): Promise<KeyId[]> {
    const where = { accountId: account, kind: KIND } as const;
    const rows = await tx.find(KeyEntity, { select: { id: true }, where, order: { id: 'ASC' }, take: IDS_MAX });
    return rows.map(({ id }) => KeyId.parse(id));
  }

  async #change(tx: Tx, id: number, change: Partial<KeyEntity>): Promise<StoredKey> {
    await tx.update(KeyEntity, { id }, { ...change, ver: () => 'ver + 1' });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id }));
  }
}
