import { Injectable } from '@nestjs/common';
import { type AccountId, ServiceError } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

/** An idempotency key of a caller. */
export interface Creation {
  readonly account: AccountId;
  readonly key: string;
}

/** What was made for which idempotency key, such as `dataset:4`. */
@Injectable()
export class CreationsRepository {
  /** What an idempotency key made; null for nothing. Other transactions with this key wait until this one ends. */
  async lock(tx: EntityManager, { account, key }: Creation): Promise<string | null> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`creation:${account}:${key}`]);
    const [row] = await tx.query<{ made: string }[]>(`SELECT made FROM creation WHERE account = $1 AND key = $2`, [account, key]);
    return row?.made ?? null;
  }

  async remember(tx: EntityManager, { account, key }: Creation, made: string): Promise<void> {
    await tx.query(`INSERT INTO creation (account, key, made) VALUES ($1, $2, $3)`, [account, key, made]);
  }

  /**
   * Makes something once for a key: `make` runs for the first call, later ones get the same number.
   * @param kind of what is made, so that a key of another kind is not taken for it
   * @throws ServiceError `invalid_request` when the key made something of another kind
   */
  async once(tx: EntityManager, creation: Partial<Creation>, kind: string, make: () => Promise<number>): Promise<number> {
    const { account, key } = creation;
    if (account === undefined || key === undefined) return make();
    const made = await this.lock(tx, { account, key });
    if (made !== null) {
      const [what, number] = [made.slice(0, made.lastIndexOf(':')), Number(made.slice(made.lastIndexOf(':') + 1))];
      if (what !== kind) throw keyTaken();
      return number;
    }
    const number = await make();
    await this.remember(tx, { account, key }, `${kind}:${number}`);
    return number;
  }
}

/** The refusal of an idempotency key that made something else. */
export const keyTaken = (): ServiceError =>
  new ServiceError('invalid_request', 'This idempotency key was used for another creation.', { param: 'idempotency_key' });
