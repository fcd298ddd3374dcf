import type { BackedUp } from '@slipway/database/backup';
import { UsageError } from '../cli-errors.js';
import { type Call, command } from '../command.js';
import type { RestoreValues } from './run-restore.js';

// What does the work is loaded when it is wanted: help and usage errors answer without the NATS client.
const NAMES: readonly BackedUp[] = ['keys', 'deployments', 'tuning'];

/** Parser of names of databases, separated by commas. @throws UsageError */
function databaseNames(text: string): BackedUp[] {
  return text.split(',').map((word) => {
    const known = NAMES.find((name) => name === word.trim());
    if (!known) throw new UsageError(`It takes names of ${NAMES.join(', ')}, separated by commas.`);
    return known;
  });
}

/** `npx slipway backup`. */
export const backup = command(
  'backup',
  'Writes the databases of the services into one archive, while everything runs.',
  'It takes the databases from DATABASE_URL, or of one service from its own variable, such as KEYS_DATABASE_URL, and proves KEY_PEPPERS and SLIPWAY_SECRET_KEY for the restore without storing them.',
)
  .argument('<PLACE>', 'a folder, in which the archive is named for the moment, or a file that is not there yet')
  .option('--only <NAMES>', 'only these databases, such as keys,deployments', databaseNames)
  .examples('backup /var/backups/slipway', 'backup slipway.tar --only keys')
  .local()
  .plans((call: Call<{ only?: BackedUp[] }>, place: string) => async () => (await import('./run-backup.js')).runBackup(call, place));

/** `npx slipway restore`. */
export const restore = command(
  'restore',
  'Restores the databases of the services from an archive of "backup".',
  'All services that own them must be stopped. It takes databases and secrets from the same variables as "backup", and changes nothing when anything is wrong.',
)
  .argument('<ARCHIVE>', 'what "backup" wrote')
  .option('--replace', 'replaces all that the databases hold; without it they must be empty')
  .option('--only <NAMES>', 'only these databases, such as keys,deployments', databaseNames)
  .option('--audit <FILE>', 'an "audit export" from after the backup: lists which keys were revoked or rotated since')
  .examples('restore /var/backups/slipway/slipway-prod-20270101T020000Z.tar --audit audit.jsonl', 'restore slipway.tar --replace')
  .local()
  .plans((call: Call<RestoreValues>, archive: string) => async () => (await import('./run-restore.js')).runRestore(call, archive));
