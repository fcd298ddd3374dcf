import { resolve } from 'node:path';
import { ArchiveError, ArchiveReader, type BackedUp, type Manifest, requireSecrets } from '@slipway/database/backup';
import { CliError } from '../cli-errors.js';
import type { Answer, Call } from '../command.js';
import { configured, environmentName, type NamedDatabase, namedDatabases } from './databases.js';
import { ensureStreams } from './ensure-streams.js';
import { type Loaded, RestoreProcess } from './restore-process.js';
import { type Undone, undoneBy, undoneText } from './undone-revocations.js';

/** Options of `restore`. */
export interface RestoreValues {
  readonly only?: BackedUp[];
  readonly replace?: true;
  readonly audit?: string;
}

/** Reads the manifest, and checks every byte. @throws CliError `archive_damaged`, `archive_newer`, `archive_unreadable` */
async function checkedManifest(path: string): Promise<Manifest> {
  try {
    const reader = await ArchiveReader.open(path);
    try {
      await reader.verify();
      return reader.manifest;
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw new CliError(`archive_${error.code}`, error.message, {}, { cause: error });
    throw new CliError('archive_unreadable', `${path} cannot be read: ${(error as Error).message}`, {}, { cause: error });
  }
}

/** The databases that are both in the archive and wanted, with the same secrets as in the backup. @throws CliError */
function restorable({ databases }: Manifest, variable: Call['variable'], only?: readonly BackedUp[]): NamedDatabase[] {
  const held = Object.keys(databases) as BackedUp[];
  const lacking = only?.filter((name) => !held.includes(name)) ?? [];
  if (lacking.length > 0)
    throw new CliError('not_in_archive', `The archive holds no database of ${lacking.join(', ')}: it holds ${held.join(', ')}.`);
  const named = namedDatabases(variable, only ?? held);
  configured(() => {
    for (const { name, secrets } of named) requireSecrets(databases[name]?.secrets ?? {}, secrets);
  });
  return named;
}

/** Loads all, and makes all real only when the last one is loaded. @throws CliError */
async function restoreAll(names: readonly BackedUp[], archive: string, replace: boolean): Promise<Map<BackedUp, Loaded>> {
  const processes = names.map((name) => new RestoreProcess(name, archive, replace));
  const results = await Promise.allSettled(processes.map((one) => one.loaded()));
  const refused = results.find((one) => one.status === 'rejected');
  if (refused) {
    await Promise.all(processes.map((one) => one.rollBack()));
    throw refused.reason;
  }
  const done: BackedUp[] = [];
  for (const one of processes) {
    await one.commit().catch(async (error: unknown) => {
      await Promise.all(processes.map((other) => other.rollBack()));
      const left = names.filter((name) => !done.includes(name));
      const state =
        done.length === 0 ? 'Nothing was restored.' : `Restored: ${done.join(', ')}. Run it again with --replace --only ${left.join(',')}.`;
      throw new CliError('restore_failed', `${(error as Error).message}\n${state}`, { restored: done });
    });
    done.push(one.name);
  }
  return new Map(results.flatMap((one, i) => (one.status === 'fulfilled' && names[i] ? [[names[i], one.value]] : [])));
}

interface Outcome {
  readonly manifest: Manifest;
  readonly loaded: ReadonlyMap<BackedUp, Loaded>;
  readonly undone: readonly Undone[] | null;
  readonly streams: string | null;
}

const STALE =
  'Keys that were revoked or rotated after the backup work again, and nobody knows which: give an export of the audit log with --audit.';

function answerOf({ manifest, loaded, undone, streams }: Outcome): Answer {
  const parts = [...loaded].map(([name, facts]) => ({ name, moment: manifest.databases[name]?.moment ?? '', ...facts }));
  const lines = parts.map(({ name, moment, rows, tables, migrated }) => {
    const later = migrated.length > 0 ? `, then ${migrated.length} migrations` : '';
    return `${name}: ${rows} rows in ${tables} tables, as of ${moment}${later}`;
  });
  const revoked = loaded.has('keys') ? [undone ? undoneText(undone) : STALE] : [];
  const next = 'Start the services: each begins a new epoch of its feed, and gateways follow within seconds.';
  const text = [...lines, ...revoked, next].join('\n');
  return { json: { databases: parts, undone, streams: streams ?? 'there' }, text, ...(streams !== null && { note: streams }) };
}

/** Restores an archive. @throws CliError; nothing is changed then, unless its message says so */
export async function runRestore({ options, variable, cwd }: Call<RestoreValues>, archive: string): Promise<Answer> {
  const environment = environmentName(variable);
  const path = resolve(cwd, archive);
  const manifest = await checkedManifest(path);
  const databases = restorable(manifest, variable, options.only);
  const head = manifest.databases.keys?.audit ?? null;
  const undone = options.audit === undefined ? null : await undoneBy(resolve(cwd, options.audit), head);
  const loaded = await restoreAll(
    databases.map(({ name }) => name),
    path,
    options.replace === true,
  );
  return answerOf({ manifest, loaded, undone, streams: await ensureStreams(variable, environment) });
}
