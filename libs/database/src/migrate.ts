import { DataSource } from 'typeorm';
import { type DatabaseOptions, migrationOptions } from './data-source-options.js';
import { MIGRATIONS_LOCK } from './pending-migrations.js';
import { bringStraysHome } from './stray-relations.js';

/**
 * Moves relations that earlier releases left in other schemas, then runs the missing migrations. Of replicas that start together,
 * one does this and the others wait.
 */
export async function migrate(options: DatabaseOptions): Promise<void> {
  const dataSource = new DataSource(migrationOptions(options));
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(${MIGRATIONS_LOCK})`);
    await bringStraysHome(lock, options.strays, options.log);
    const done = await dataSource.runMigrations();
    if (done.length > 0) options.log.info({ migrations: done.map(({ name }) => name) }, 'database.migrated');
  } finally {
    // Closing the session releases the lock.
    await lock.release();
    await dataSource.destroy();
  }
}
