import { Injectable } from '@nestjs/common';
import { type AccountId, KeyId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { In, LessThan, MoreThan } from 'typeorm';
import { KeyEntity } from '../db/entities.js';
import { keyOf, type StoredKey } from '../shared/key-feed.repository.js';
import type { MintedKey } from '../shared/key-minting.js';

const KIND = 'evaluation';
/** The name that usage shows. */
const NAME = 'Evaluation';
/** How long after its key ended a number is used again, in milliseconds: by then no gateway serves a request of the old key. */
const REUSED_AFTER_MS = 60_000;
/** Numbers per reply. */
const IDS_MAX = 500;

/** Rows of evaluation keys. Their numbers are used again, so that usage and gateways have few of them. */
@Injectable()
export class EvaluationKeysRepository {
  /** Sets a new expiry of the account's live key with one of these MACs; null when there is none. */
  async prolong(tx: Tx, account: AccountId, macs: readonly Buffer[], expiresAt: Date): Promise<StoredKey | null> {
    const where = { accountId: account, kind: KIND, state: 'active', mac: In([...macs]), expiresAt: MoreThan(new Date()) } as const;
    const found = await tx.findOne(KeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    return found && this.#change(tx, found.id, { expiresAt });
  }

  /** Creates a key, under the number of an ended one where there is one. */
  async create(tx: Tx, account: AccountId, { mac, pepper, hint }: MintedKey['stored'], expiresAt: Date): Promise<StoredKey> {
    const values = { mac, pepper, hint, expiresAt };
    const reusable = await tx.findOne(KeyEntity, {
      where: { accountId: account, kind: KIND, state: 'active', expiresAt: LessThan(new Date(Date.now() - REUSED_AFTER_MS)) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
    if (reusable) return this.#change(tx, reusable.id, values);
    const row = { ...values, accountId: account, kind: KIND, name: NAME, limits: {} } as const;
    const { identifiers } = await tx.insert(KeyEntity, row);
    return keyOf(await tx.findOneByOrFail(KeyEntity, { id: Number(identifiers[0]?.['id']) }));
  }

  /** Numbers of an account's evaluation keys, by which usage can be attributed to evaluations. */
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
