import { DataSource } from 'typeorm';
import { type DatabaseOptions, migrationOptions } from './data-source-options.js';

/** Runs the migrations that are missing; of replicas that start at once, one runs them and the others wait. */
export async function migrate(options: DatabaseOptions): Promise<void> {
  const dataSource = new DataSource(migrationOptions(options));
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(hashtextextended('slipway.migrations', 0))`);
    const done = await dataSource.runMigrations();
    if (done.length > 0) options.log.info({ migrations: done.map(({ name }) => name) }, 'database.migrated');
  } finally {
    // Closing the session gives the lock back.
    await lock.release();
    await dataSource.destroy();
  }
}
