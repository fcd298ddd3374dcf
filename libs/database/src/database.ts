import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '@slipway/platform';
import { DataSource } from 'typeorm';
import { AdvisoryLock } from './advisory-lock.js';
import { type DatabaseOptions, dataSourceOptions } from './data-source-options.js';
import { ensureDatabase } from './ensure-database.js';
import { FeedReads, SqlFeedStore } from './feed/sql-feed-store.js';
import { lockLosses } from './lock-metrics.js';
import { LockSession, type SessionLock } from './lock-session.js';
import { migrate } from './migrate.js';
import { pendingMigrations } from './pending-migrations.js';
import { driverErrorOf, isDatabaseUnavailable, isLoginRefused } from './pg-errors.js';
import { Transactions } from './transactions.js';

const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 2_000;

/** A service's own database: created, migrated and opened at start. Errors of pooled connections do not end the process. */
export class Database {
  readonly transactions: Transactions;
  readonly #options: DatabaseOptions;
  readonly #dataSource: DataSource;
  readonly #locks: LockSession;
  readonly #feedReads = new FeedReads();
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    if (options.metrics) lockLosses(options.metrics);
    this.#dataSource = new DataSource(dataSourceOptions(options));
    this.transactions = new Transactions(this.#dataSource);
    const { url, applicationName, log, metrics } = options;
    this.#locks = new LockSession({ url, applicationName: `${applicationName} locks`, log, metrics });
  }

  /**
   * Creates the database if it is missing, runs the migrations, or waits for them with `migrate: 'never'`, and opens the pool. Waits for a server that does not answer yet,
   * with one log line per attempt.
   * @throws ConfigError when the server refuses the user or the password; the driver's error when waiting
   *   does not help: missing rights, a failing migration.
   */
  async open(): Promise<void> {
    for (let tries = 1; !this.#closed; tries += 1) {
      try {
        if (await this.#isMigrated()) {
          await this.#dataSource.initialize();
          return;
        }
        await delay(RETRY_MAX_MS);
      } catch (error) {
        if (isLoginRefused(error)) throw new ConfigError([`DATABASE_URL, or the own database's: ${(error as Error).message}`]);
        if (!isDatabaseUnavailable(error)) throw driverErrorOf(error);
        this.#options.log.warn({ tries, err: driverErrorOf(error) }, 'database.waiting');
        await delay(Math.min(RETRY_MIN_MS * 2 ** (tries - 1), RETRY_MAX_MS));
      }
    }
  }

  /** Runs the migrations, or with `never` finds out whether another process has. */
  async #isMigrated(): Promise<boolean> {
    if (this.#options.migrate === 'never') {
      const migrations = await pendingMigrations(this.#options);
      if (migrations.length > 0) this.#options.log.warn({ migrations }, 'database.migrations_pending');
      return migrations.length === 0;
    }
    await ensureDatabase(this.#options.url);
    await migrate(this.#options);
    return true;
  }

  /** The store of a feed in this database. @param feed name of the feed, as in its contract */
  feedStore<R>(feed: string): SqlFeedStore<R> {
    return new SqlFeedStore<R>({
      feed,
      locks: this.#locks,
      transactions: this.transactions,
      reads: this.#feedReads,
      log: this.#options.log,
    });
  }

  /** A lock that one process with this database holds at a time. All locks of a process share a session outside the pool. */
  lock(lock: SessionLock): AdvisoryLock {
    return new AdvisoryLock({ ...lock, session: this.#locks });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#dataSource.isInitialized) await this.#dataSource.destroy();
  }
}
