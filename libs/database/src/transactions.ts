import { ServiceError } from '@slipway/contracts';
import type { Client } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { isConnectionLoss, isTimeout, publicError } from './pg-errors.js';

/** A transaction's handle: services hand it from one repository to the next, and know no more of it. */
export type Tx = EntityManager;

/**
 * The one way to the pool. A connection that hung or broke is closed and never used again; while the
 * database does not answer, calls fail with `unavailable` within about two seconds.
 */
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs `work` in one transaction. It is not repeated: after a lost connection nobody knows whether
   * it committed.
   */
  run<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.#attempt(work, true);
  }

  /** Runs statements that may be repeated, without a transaction; a lost connection is replaced once. */
  async read<T>(work: (connection: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.#attempt(work, false);
    } catch (error) {
      if (!(error instanceof ServiceError) || !isConnectionLoss(error.cause)) throw error;
      return this.#attempt(work, false);
    }
  }

  async #attempt<T>(work: (manager: EntityManager) => Promise<T>, inTransaction: boolean): Promise<T> {
    if (!this.dataSource.isInitialized) {
      throw new ServiceError('unavailable', 'The database is not open yet; try again soon.', { retryAfterS: 1 });
    }
    const runner = this.dataSource.createQueryRunner();
    let client: Client | undefined;
    try {
      client = (await runner.connect()) as Client;
      if (inTransaction) await runner.startTransaction();
      const result = await work(runner.manager);
      if (inTransaction) await runner.commitTransaction();
      return result;
    } catch (error) {
      const broken = isConnectionLoss(error) || isTimeout(error);
      const clean = !broken && (!inTransaction || (await runner.rollbackTransaction().then(alwaysTrue, alwaysFalse)));
      // Ending it while a statement runs closes the socket, and keeps the pool from using it again.
      if (!clean) void client?.end().catch(() => undefined);
      throw publicError(error);
    } finally {
      await runner.release();
    }
  }
}

const alwaysTrue = (): boolean => true;
const alwaysFalse = (): boolean => false;
