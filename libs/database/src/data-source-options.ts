import type { Logger } from '@slipway/platform';
import type { Registry } from '@slipway/platform/metrics';
import type { DataSourceOptions } from 'typeorm';
import { AwakeClient } from './awake-time.js';
import { clientTimeouts, connectionSettings, POOL_SIZE } from './settings.js';
import type { StrayRelations } from './stray-relations.js';

/** Address, migrations and entities of a service's database. */
export interface DatabaseOptions {
  /** Address of the database; see `databaseUrl`. */
  readonly url: string;
  /** Shown in the server's list of connections. */
  readonly applicationName: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
  readonly migrations: NonNullable<DataSourceOptions['migrations']>;
  /** Relations that earlier releases may have created in other schemas; moved before migrations run. */
  readonly strays?: StrayRelations;
  /** `never`: it waits until another process has run the migrations. Default: it runs them itself. */
  readonly migrate?: 'start' | 'never' | undefined;
  readonly log: Logger;
  /** Registry in which lost locks are counted. */
  readonly metrics?: Registry;
}

type Postgres = Extract<DataSourceOptions, { type: 'postgres' }>;

/** TypeORM options: every wait has a timeout, only migrations change the schema, and statements are not logged. */
export function dataSourceOptions({ url, applicationName, entities, migrations, log }: DatabaseOptions): Postgres {
  return {
    type: 'postgres',
    url,
    applicationName,
    entities,
    migrations,
    synchronize: false,
    logging: false,
    poolSize: POOL_SIZE,
    connectTimeoutMS: clientTimeouts.connectionTimeoutMillis,
    extra: { ...connectionSettings, query_timeout: 0, Client: AwakeClient },
    poolErrorHandler: (error: unknown) => log.warn({ err: error }, 'database.connection_lost'),
  };
}

/** The same for migrations: few connections, and longer timeouts for statements that rewrite a table. */
export function migrationOptions(options: DatabaseOptions): Postgres {
  const usual = dataSourceOptions(options);
  const extra = { ...connectionSettings, query_timeout: 0, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  return { ...usual, applicationName: `${options.applicationName} migrations`, poolSize: 2, extra, migrationsTransactionMode: 'each' };
}
