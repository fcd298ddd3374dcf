import {
  CONFIG,
  loadConfig,
  LOG,
  type Logger,
  type MigrationSteps,
  postgresAddress,
  type PreparedRestore,
  type Resource,
  type RestoreOrder,
  serviceFragment,
} from '@slipway/platform';
import { Registry } from '@slipway/platform/metrics';
import { z } from 'zod';
import { AuditLog } from './audit/audit-log.js';
import { RefusalLog, type RefusalLogOptions } from './audit/refusal-log.js';
import { BACKED_UP } from './backup/manifest.js';
import { RestoredDatabase, RestoreRefusal } from './backup/restore-database.js';
import type { DatabaseOptions } from './data-source-options.js';
import { Database } from './database.js';
import { ensureDatabase } from './ensure-database.js';
import { migrate } from './migrate.js';
import { pendingMigrations } from './pending-migrations.js';
import { checkAddress, databaseUrl } from './database-url.js';
import { Transactions } from './transactions.js';

/** Description of a service's own database. */
export interface ServiceDatabase extends Pick<DatabaseOptions, 'applicationName' | 'entities' | 'migrations' | 'strays'> {
  /** Short name of the service: the database is `slipway_{env}_{name}`, unless `{NAME}_DATABASE_URL` names another. */
  readonly name: string;
}

/** Settings of a service with a database, in addition to `{NAME}_DATABASE_URL`. */
interface DatabaseConfig {
  readonly SLIPWAY_ENV: string;
  readonly DATABASE_URL?: string | undefined;
  readonly MIGRATE?: 'start' | 'never' | undefined;
  readonly [own: string]: unknown;
}

/** What the address of a database follows from. */
const databaseFragment = { SLIPWAY_ENV: serviceFragment.SLIPWAY_ENV, DATABASE_URL: postgresAddress.optional() };

/** A service's own database as a resource. It provides `Database`, `Transactions` and `AuditLog`. */
export function database({ name, ...made }: ServiceDatabase): Resource<Database> {
  const urlOf = (config: DatabaseConfig): string => {
    const own = config[`${name.toUpperCase()}_DATABASE_URL`] as string | undefined;
    return databaseUrl({ env: config.SLIPWAY_ENV, name, serverUrl: config.DATABASE_URL, databaseUrl: own });
  };
  const create = (config: DatabaseConfig, log: Logger, metrics: Registry): Database =>
    new Database({ url: urlOf(config), ...made, migrate: config.MIGRATE, log, metrics });
  type Environment = Readonly<Record<string, string | undefined>>;
  const addressIn = (environment: Environment): string =>
    urlOf(loadConfig(z.object({ ...databaseFragment, [`${name.toUpperCase()}_DATABASE_URL`]: postgresAddress.optional() }), environment));
  const steps = (environment: Environment, log: Logger): MigrationSteps => {
    const options = { url: addressIn(environment), ...made, log };
    return {
      pending: () => pendingMigrations(options),
      apply: async () => {
        await ensureDatabase(options.url);
        await migrate(options);
      },
    };
  };
  const backedUp = BACKED_UP.find((one) => one === name);
  const restore = (environment: Environment, log: Logger, order: RestoreOrder): Promise<PreparedRestore> => {
    if (!backedUp) throw new RestoreRefusal(`No backup holds the database of ${name}.`);
    return RestoredDatabase.load({ url: addressIn(environment), ...made, log, name: backedUp, ...order });
  };
  return {
    name: 'database',
    token: Database,
    providers: [
      { provide: Database, useFactory: create, inject: [CONFIG, LOG, Registry] },
      { provide: Transactions, useFactory: (opened: Database) => opened.transactions, inject: [Database] },
      { provide: AuditLog, useClass: AuditLog },
    ],
    check: (config) => checkAddress(urlOf({ ...config })),
    migrations: steps,
    restore,
    start: (opened) => opened.open(),
    stop: (opened) => opened.close(),
  };
}

/** The audit log of refused calls as a resource, listed after `database`. It provides `RefusalLog`. */
export const refusalLog = (options: Pick<RefusalLogOptions, 'nameOf'> = {}): Resource<RefusalLog> => ({
  name: 'refusal log',
  token: RefusalLog,
  providers: [
    {
      provide: RefusalLog,
      useFactory: (transactions: Transactions, log: Logger) => new RefusalLog({ ...options, transactions, log }),
      inject: [Transactions, LOG],
    },
  ],
  stop: (refusals) => refusals.stop(),
});
