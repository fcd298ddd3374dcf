import { Client } from 'pg';
import type { DatabaseOptions } from './data-source-options.js';
import { connectionSettings } from './settings.js';

/** SQLSTATE: the database does not exist. */
const MISSING = '3D000';

/** Key of the advisory lock under which migrations run. */
export const MIGRATIONS_LOCK = `hashtextextended('slipway.migrations', 0)`;

/** Names of a service's migrations, in the order in which they run. */
export function migrationNames({ migrations }: Pick<DatabaseOptions, 'migrations'>): string[] {
  const classes = Object.values(migrations) as (new () => { readonly name?: string })[];
  return classes.map((Migration) => new Migration().name ?? Migration.name);
}

/** Names of those that have run; none where there is no database yet. */
async function doneIn(url: string): Promise<ReadonlySet<string>> {
  const client = new Client({ connectionString: url, ...connectionSettings });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ found: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS found`);
    if (tables[0]?.found !== true) return new Set();
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if ((error as { code?: unknown }).code === MISSING) return new Set();
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Names of the migrations that a database lacks, in the order in which they will run. It changes nothing. */
export async function pendingMigrations(options: Pick<DatabaseOptions, 'url' | 'migrations'>): Promise<string[]> {
  const done = await doneIn(options.url);
  return migrationNames(options).filter((name) => !done.has(name));
}
