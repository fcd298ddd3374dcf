import { DataSource } from 'typeorm';
import { type DatabaseOptions, migrationOptions } from './data-source-options.js';
import { bringStraysHome } from './stray-relations.js';

/**
 * Runs the migrations that are missing, after it moved what earlier releases left in other schemas. Of replicas that
 * start at once, one does it and the others wait.
 */
export async function migrate(options: DatabaseOptions): Promise<void> {
  const dataSource = new DataSource(migrationOptions(options));
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(hashtextextended('slipway.migrations', 0))`);
    await bringStraysHome(lock, options.strays, options.log);
    const done = await dataSource.runMigrations();
    if (done.length > 0) options.log.info({ migrations: done.map(({ name }) => name) }, 'database.migrated');
  } finally {
    // Closing the session gives the lock back.
    await lock.release();
    await dataSource.destroy();
  }
}
