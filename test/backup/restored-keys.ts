import { ArchiveWriter, DatabaseDump } from '@slipway/database/backup';
import { database } from '@slipway/database';
import { createLogger } from '@slipway/platform';
import { schema } from '../../apps/keys-service/src/db/schema.js';
import pg from 'pg';

const log = createLogger('test', 'silent');
const keys = database({ name: 'keys', applicationName: 'keys-service', ...schema });

/** Runs one statement. */
export async function rowsOf<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Writes an archive of a database of keys-service. */
export async function dumpKeys(url: string, path: string): Promise<void> {
  const [archive, dump] = [await ArchiveWriter.create(path), await DatabaseDump.open({ name: 'keys', url, secrets: {} })];
  try {
    const archived = await dump.write(archive);
    await archive.finish({ release: '1.0.0', environment: 'test', databases: { keys: archived } });
  } finally {
    await dump.close();
  }
}

/** Loads an archive as keys-service does, up to the commit. */
export async function loadKeys(url: string, archive: string, replace = false) {
  const loaded = await keys.restore?.({ KEYS_DATABASE_URL: url }, log, { archive, replace });
  if (!loaded) throw new Error('keys-service restores no database.');
  return loaded;
}
