import type { Logger, Registry } from '@slipway/platform';
import type { DataSourceOptions } from 'typeorm';
import { clientTimeouts, connectionSettings, POOL_SIZE } from './settings.js';
import type { StrayRelations } from './stray-relations.js';

/** What a service's database is made of. */
export interface DatabaseOptions {
  /** Address of the database; see `databaseUrl`. */
  readonly url: string;
  /** Shown in the server's list of connections. */
  readonly applicationName: string;
  readonly entities: NonNullable<DataSourceOptions['entities']>;
  readonly migrations: NonNullable<DataSourceOptions['migrations']>;
  /** What earlier releases may have left in other schemas; moved before migrations run. */
  readonly strays?: StrayRelations;
  readonly log: Logger;
  /** Where lost locks are counted. */
  readonly metrics?: Registry;
}

type Postgres = Extract<DataSourceOptions, { type: 'postgres' }>;

/** TypeORM options with every wait bounded, the schema made by migrations alone, and statements kept out of the log. */
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
    extra: connectionSettings,
    poolErrorHandler: (error: unknown) => log.warn({ err: error }, 'database.connection_lost'),
  };
}

/** The same for migrations: few connections, and time for statements that rewrite a table. */
export function migrationOptions(options: DatabaseOptions): Postgres {
  const usual = dataSourceOptions(options);
  const extra = { ...connectionSettings, query_timeout: 0, statement_timeout: 0, idle_in_transaction_session_timeout: 0 };
  return { ...usual, applicationName: `${options.applicationName} migrations`, poolSize: 2, extra, migrationsTransactionMode: 'each' };
}
