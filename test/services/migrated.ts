import { Database, type DatabaseOptions } from '@slipway/database';
import { createLogger } from '@slipway/platform';
import type { TestPostgres } from '@slipway/testing';
import { deploymentsDatabase as deployments } from '../../apps/deployments-service/src/db/schema.js';
import { tuningDatabase as tuning } from '../../apps/tuning-service/src/db/schema.js';
import { schema } from '../../apps/keys-service/src/db/schema.js';

const log = createLogger('test', 'silent');

async function migrate(options: DatabaseOptions): Promise<void> {
  const database = new Database(options);
  await database.open();
  await database.close();
}

/** A database of keys-service whose migrations have run: the copy of one takes a tenth of their time. */
export const keysDatabase = (postgres: TestPostgres): Promise<string> =>
  postgres.cloneDatabase('keys', (url) => migrate({ url, applicationName: 'migrations', ...schema, log }));

/** The same of deployments-service. */
export const deploymentsDatabase = (postgres: TestPostgres): Promise<string> =>
  postgres.cloneDatabase('deployments', (url) => migrate({ url, ...deployments, log }));

/** The same of tuning-service. */
export const tuningDatabase = (postgres: TestPostgres): Promise<string> =>
  postgres.cloneDatabase('tuning', (url) => migrate({ url, ...tuning, log }));
