import { databaseUrl, ensureDatabase } from '@slipway/database';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { clearStalePostgres, initPostgres, postgresCommand, postgresUrl, probePostgres } from '../../../scripts/lib/postgres.mjs';
import { findPostgresHome } from '../../../scripts/lib/postgres-home.mjs';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { type FirstStage, type LaunchContext, TIERS, plainEnvironment, pick } from './launch-context.js';
import { waitUntil } from './readiness.js';

const READY_WITHIN_MS = 60_000;

const DATABASE_VARIABLES = ['DATABASE_URL', 'KEYS_DATABASE_URL', 'DEPLOYMENTS_DATABASE_URL', 'TUNING_DATABASE_URL'];

/**
 * Settings of a small, mostly idle server: fewer helper processes, with longer intervals, and buffers for the working set of one
 * machine. Pages beyond them are read from the system's cache. Commits do not wait for the WAL writer, so its delay does not slow
 * them down.
 */
const AT_REST = {
  shared_buffers: '12MB',
  io_method: 'sync',
  max_logical_replication_workers: '0',
  autovacuum_naptime: '5min',
  bgwriter_lru_maxpages: '0',
  bgwriter_delay: '10s',
  wal_writer_delay: '10s',
  jit: 'off',
};

/** Variables of the user's own databases; null if the environment names none. */
function foreignDatabases({ environment, options }: FirstStage): Record<string, string> | null {
  const named = pick(environment, DATABASE_VARIABLES);
  const all = named['KEYS_DATABASE_URL'] && named['DEPLOYMENTS_DATABASE_URL'] && (named['TUNING_DATABASE_URL'] || !options.tuning);
  return named['DATABASE_URL'] || all ? named : null;
}

async function startEmbedded(context: LaunchContext): Promise<Record<string, string>> {
  const { stage, dataDir, secrets, processes, signal } = context;
  const home = await findPostgresHome({ root: stage.root, dataDir: dataDir.path, id: secrets.id });
  for (const folder of home.moved)
    stage.progress.note(`PostgreSQL does not run as root, and its user cannot reach the data directory; it uses ${folder}.`);
  await clearStalePostgres(home);
  await initPostgres(home, secrets.postgresPassword);
  const port = await freePort();
  processes.start({
    name: 'postgres',
    ...postgresCommand(home, port, AT_REST),
    env: plainEnvironment(context),
    tier: TIERS.database,
    base: true,
    stopSignal: 'SIGINT',
    stopWithinMs: 1_500,
    forceSignal: 'SIGQUIT',
    postgres: home,
  });
  const timedOut = (): Error => new StartError(`PostgreSQL does not accept connections; see ${dataDir.logs}/postgres.log.`);
  await waitUntil(() => probePostgres(port), { withinMs: READY_WITHIN_MS, timedOut, signal });
  const serverUrl = postgresUrl(port, secrets.postgresPassword);
  await makeDatabases(context, serverUrl);
  return { ...pick(stage.environment, DATABASE_VARIABLES), DATABASE_URL: serverUrl };
}

/** Creates the databases before the services start. */
async function makeDatabases({ stage, env }: LaunchContext, serverUrl: string): Promise<void> {
  for (const name of ['keys', 'deployments', ...(stage.options.tuning ? ['tuning'] : [])]) {
    if (!stage.environment[`${name.toUpperCase()}_DATABASE_URL`]) await ensureDatabase(databaseUrl({ env, name, serverUrl }));
  }
}

/** Provides a database server. @returns the variables that name it for the services */
export async function providePostgres(context: LaunchContext): Promise<Record<string, string>> {
  const foreign = foreignDatabases(context.stage);
  return foreign ?? context.stage.progress.step('Starting PostgreSQL', () => startEmbedded(context));
}
