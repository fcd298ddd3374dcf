import { Injectable } from '@nestjs/common';
import { AccountId, KeyId, SessionId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, LessThan, MoreThan } from 'typeorm';
import { KeyEntity } from '../db/key.entity.js';
import { keyOf, type StoredKey } from '../keys/keys.repository.js';
import type { MintedKey } from '../shared/key-minting.js';

const KIND = 'playground';
/** What usage shows it as. */
const NAME = 'Playground';
/** A number whose key ended so long ago is taken for the next one, in milliseconds: no gateway still works for the old one. */
const REST_MS = 60_000;
/** Numbers of one answer. */
const NUMBERS_MAX = 500;

/** Whose key it is, and until when. */
export interface PlaygroundHolder {
  readonly account: AccountId;
  readonly session: SessionId;
  readonly expiresAt: Date;
}

/** Keys of the playground. Their numbers are used again, so that usage names few and gateways hold few. */
@Injectable()
export class PlaygroundKeysRepository {
  /** Whose live key has one of these MACs; null when there is none. */
  async findHolder(tx: Tx, macs: readonly Buffer[]): Promise<Pick<PlaygroundHolder, 'account' | 'session'> | null> {
    const found = await tx.findOneBy(KeyEntity, { kind: KIND, mac: In([...macs]), expiresAt: MoreThan(new Date()) });
    if (!found || found.sessionId === null) return null;
    return { account: AccountId.parse(found.accountId), session: SessionId.parse(found.sessionId) };
  }

  /** Gives the live key of a session that has one of these MACs a later end; null when there is none. */
  async prolong(tx: Tx, { account, session, expiresAt }: PlaygroundHolder, macs: readonly Buffer[]): Promise<StoredKey | null> {
    const where = { accountId: account, sessionId: session, kind: KIND, mac: In([...macs]), expiresAt: MoreThan(new Date()) } as const;
    const held = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    return held && this.#change(tx, held.id, { expiresAt });
  }

  /** Makes a key, under a number that rests where there is one. */
  async make(tx: Tx, { account, session, expiresAt }: PlaygroundHolder, { mac, pepper, hint }: MintedKey['stored']): Promise<StoredKey> {
    const values = { mac, pepper, hint, sessionId: session, expiresAt };
    const rested = await tx.findOne(KeyEntity, {
      where: { accountId: account, kind: KIND, expiresAt: LessThan(new Date(Date.now() - REST_MS)) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
    if (rested) return this.#change(tx, rested.id, values);
    const row = { ...values, accountId: account, kind: KIND, name: NAME, limits: {} } as const;
    const { identifiers } = await tx.insert(KeyEntity, row);
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id: Number(identifiers[0]?.['id']) }));
  }

  /** Ends those of sessions, and returns them. */
  async end(tx: Tx, sessions: readonly SessionId[]): Promise<StoredKey[]> {
    const where = { sessionId: In([...sessions]), kind: KIND, expiresAt: MoreThan(new Date()) } as const;
    const held = await tx.find(KeyEntity, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
    const ended: StoredKey[] = [];
    for (const { id } of held) ended.push(await this.#change(tx, id, { expiresAt: new Date() }));
    return ended;
  }

  /** Their numbers, for who names what usage shows. */
  async numbersOf(tx: Tx, account: AccountId): Promise<KeyId[]> {
    const where = { accountId: account, kind: KIND } as const;
    const rows = await tx.find(KeyEntity, { select: { id: true }, where, order: { id: 'ASC' }, take: NUMBERS_MAX });
    return rows.map(({ id }) => KeyId.parse(id));
  }

  async #change(tx: Tx, id: number, change: Partial<KeyEntity>): Promise<StoredKey> {
    await tx.update(KeyEntity, { id }, { ...change, ver: () => 'ver + 1' });
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id }));
  }
}
