import { ServiceError } from '@slipway/contracts';
import type { Client, QueryResultRow } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { isConnectionLoss, isTimeout, publicError } from './pg-errors.js';

/** Opaque handle of a transaction, which services pass to repositories. */
export type Tx = EntityManager;

/** A statement that each connection plans once. */
export interface PreparedStatement {
  /** Unique for this text. */
  readonly name: string;
  readonly text: string;
}

/** Runs a prepared statement: planning costs those that run each second more than the rest of them. */
export async function queryPrepared<T extends QueryResultRow>(
  connection: EntityManager,
  { name, text }: PreparedStatement,
  values: readonly unknown[],
): Promise<T[]> {
  if (connection.queryRunner === undefined) throw new TypeError('A prepared statement needs a connection of its own.');
  const client = (await connection.queryRunner.connect()) as Client;
  return (await client.query<T>({ name, text, values: [...values] })).rows;
}

/**
 * The only access to the pool. A connection that hung or broke is closed. While the database does not answer, calls fail with
 * `unavailable` within about two seconds.
 */
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs `work` in one transaction. Never repeated, because after a lost connection it may have committed.
   */
  run<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.#attempt(work, true);
  }

  /** Runs repeatable statements without a transaction; repeats them once after a lost connection. */
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
      // Ends the connection while a statement runs, so that the pool does not use it again.
      if (!clean) void client?.end().catch(() => undefined);
      throw publicError(error);
    } finally {
      await runner.release();
    }
  }
}

const alwaysTrue = (): boolean => true;
const alwaysFalse = (): boolean => false;
