import { Injectable } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { hashOf } from './link-token.js';

/** Failures within the window after which an address has to wait. */
const FAILURES_MAX = 10;
const WINDOW = `interval '15 minutes'`;

/**
 * Counts failed sign-ins by address, for all replicas and known addresses and others alike. What is counted is a hash:
 * mistyped addresses may hold passwords.
 */
@Injectable()
export class AttemptsRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Counts an attempt before its password is looked at, so that attempts at once cannot slip by.
   * @throws ServiceError `rate_limit_exceeded` when the address has to wait
   */
  async begin(email: string): Promise<void> {
    const failures = await this.transactions.run(async (tx) => {
      await tx.query(`DELETE FROM sessions.attempt WHERE subject IN (
        SELECT subject FROM sessions.attempt WHERE since < now() - ${WINDOW} LIMIT 20 FOR UPDATE SKIP LOCKED)`);
      const [row] = await tx.query<{ failures: number }[]>(
        `INSERT INTO sessions.attempt AS a (subject, failures, since) VALUES ($1, 1, now())
         ON CONFLICT (subject) DO UPDATE SET
           failures = CASE WHEN a.since < now() - ${WINDOW} THEN 1 ELSE least(a.failures + 1, ${FAILURES_MAX + 1}) END,
           since = CASE WHEN a.since < now() - ${WINDOW} THEN now() ELSE a.since END
         RETURNING failures`,
        [hashOf(email)],
      );
      return row?.failures ?? 0;
    });
    if (failures <= FAILURES_MAX) return;
    throw new ServiceError('rate_limit_exceeded', 'Too many failed sign-ins with this address; try again in 15 minutes.', {
      retryAfterS: 30,
    });
  }

  /** The attempt succeeded: nothing counts any more. */
  async clear(tx: Tx, email: string): Promise<void> {
    await tx.query(`DELETE FROM sessions.attempt WHERE subject = $1`, [hashOf(email)]);
  }
}
