import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ArchiveWriter, type BackedUp, DatabaseDump, type Manifest } from '@slipway/database/backup';
import { SLIPWAY_VERSION } from '@slipway/platform';
import { CliError } from '../cli-errors.js';
import type { Answer, Call } from '../command.js';
import type { Terminal } from '../terminal.js';
import { environmentName, type NamedDatabase, namedDatabases } from './databases.js';

/** Code of PostgreSQL: the database does not exist. */
const MISSING = '3D000';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const failed = (what: string, cause: unknown): CliError => new CliError('backup_failed', `${what}: ${messageOf(cause)}`, {}, { cause });

/** In a folder an archive is named for its environment and moment. */
async function archivePath(place: string, environment: string): Promise<string> {
  const found = await stat(place).catch(() => null);
  if (!found?.isDirectory()) return place;
  const moment = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return join(place, `slipway-${environment}-${moment}.tar`);
}

/** Null for the database of tuning-service where there is none, since not everyone runs that. */
async function openDump(database: NamedDatabase): Promise<DatabaseDump | null> {
  try {
    return await DatabaseDump.open(database);
  } catch (error) {
    if (database.name === 'tuning' && (error as { code?: unknown }).code === MISSING) return null;
    throw failed(`The database of ${database.name}-service`, error);
  }
}

/** Opens all before the first is written, so that their moments are as close as can be. */
async function openDumps(databases: readonly NamedDatabase[]): Promise<DatabaseDump[]> {
  const opened = await Promise.allSettled(databases.map(openDump));
  const dumps = opened.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
  const refused = opened.find((one) => one.status === 'rejected');
  if (!refused) return dumps;
  await Promise.all(dumps.map((dump) => dump.close()));
  throw refused.reason;
}

interface Work {
  readonly dumps: readonly DatabaseDump[];
  readonly path: string;
  readonly environment: string;
  readonly terminal: Terminal;
}

async function writeArchive({ dumps, path, environment, terminal }: Work): Promise<Manifest['databases']> {
  const archive = await ArchiveWriter.create(path).catch((error: unknown) => {
    throw failed('The archive cannot be written', error);
  });
  try {
    const databases: Manifest['databases'] = {};
    for (const dump of dumps) {
      terminal.status(`${dump.name}: is written`);
      databases[dump.name] = await dump.write(archive);
    }
    await archive.finish({ release: SLIPWAY_VERSION, environment, databases });
    return databases;
  } catch (error) {
    await archive.discard();
    throw failed('The backup', error);
  } finally {
    terminal.clearStatus();
  }
}

const BLOBS_NOTE =
  'The files of data sets and adapters are not in it: copy BLOB_DIR or the bucket after the backup, within BLOB_KEEP_HOURS. Keep KEY_PEPPERS and SLIPWAY_SECRET_KEY elsewhere: without them the backup is of no use.';

async function answerOf(path: string, databases: Manifest['databases']): Promise<Answer> {
  const parts = Object.entries(databases).flatMap(([name, one]) => {
    if (!one) return [];
    const rows = one.tables.reduce((sum, table) => sum + table.rows, 0);
    return [{ name, moment: one.moment, tables: one.tables.length, rows, blobs: one.blobs?.count ?? 0 }];
  });
  const { size: bytes } = await stat(path);
  const lines = parts.map(({ name, moment, tables, rows }) => `${name}: ${rows} rows in ${tables} tables, as of ${moment}`);
  const text = [`${path}, ${(bytes / 2 ** 20).toFixed(1)} MiB`, ...lines].join('\n');
  return { json: { archive: path, bytes, databases: parts }, text, note: BLOBS_NOTE };
}

/** Writes an archive. @param place a folder or a file that is not there yet @throws CliError */
export async function runBackup({ options, variable, cwd, terminal }: Call<{ only?: BackedUp[] }>, place: string): Promise<Answer> {
  const environment = environmentName(variable);
  const databases = namedDatabases(variable, options.only);
  const path = await archivePath(resolve(cwd, place), environment);
  const dumps = await openDumps(databases);
  try {
    return await answerOf(path, await writeArchive({ dumps, path, environment, terminal }));
  } finally {
    await Promise.all(dumps.map((dump) => dump.close()));
  }
}
