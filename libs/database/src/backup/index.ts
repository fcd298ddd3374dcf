export { ArchiveError, ArchiveReader } from './archive-reader.js';
export { ArchiveWriter } from './archive-writer.js';
export { DatabaseDump } from './dump-database.js';
export type { DumpOptions } from './dump-database.js';
export { ARCHIVE_FORMAT, BACKED_UP } from './manifest.js';
export type { ArchivedDatabase, BackedUp, Manifest, SecretChecks } from './manifest.js';
export { requireSecrets, secretChecks } from './secret-checks.js';
export { databaseUrl } from '../database-url.js';
