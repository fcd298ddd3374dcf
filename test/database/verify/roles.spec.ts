import { DeploymentFeed, SessionFeed } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { dataSourceOptions, type DatabaseOptions, Database, provideDatabases } from '@slipway/database';
import { startOwnPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploymentsDatabase } from '../../../apps/deployments-service/src/db/schema.js';
import { schema } from '../../../apps/keys-service/src/db/schema.js';

const log = createLogger('test', 'silent');
const SERVICES = {
  keys: (url: string): DatabaseOptions => ({ url, applicationName: 'keys test', ...schema, log }),
  deployments: (url: string): DatabaseOptions => ({ url, ...deploymentsDatabase, log }),
};
type Service = keyof typeof SERVICES;

/** Each service with each of its schemas, which may be the name of a role. */
const CASES: [Service, string][] = (['keys', 'deployments'] as const).flatMap((service) =>
  (SERVICES[service]('postgres://x/y').strays?.schemas ?? []).map((name): [Service, string] => [service, name]),
);

let postgres: TestPostgres;
let made = 0;
/** Tables and sequences after the migrations of a role with another name, by schema and name. */
const usual = new Map<Service, string[]>();

beforeAll(async () => {
  postgres = await startOwnPostgres();
  for (const service of ['keys', 'deployments'] as const) {
    const url = await emptyDatabase(`slipway_${service}`);
    await startOnce(SERVICES[service](url));
    usual.set(service, await relationsOf(url));
  }
}, 120_000);

afterAll(() => postgres?.stop());

/** A new database, owned by a role of this name. */
async function emptyDatabase(role: string): Promise<string> {
  made += 1;
  const own = { role, password: 'secret', database: `roles_${made}` };
  await provideDatabases(postgres.url, [own]);
  const url = new URL(postgres.url);
  Object.assign(url, { username: role, password: own.password, pathname: `/${own.database}` });
  return url.href;
}

async function startOnce(options: DatabaseOptions): Promise<void> {
  const database = new Database(options);
  await database.open();
  await database.close();
}

/** Migrates like releases without a fixed search path. */
async function startAsBefore(options: DatabaseOptions): Promise<void> {
  const { extra, ...others } = dataSourceOptions(options);
  const { options: _, ...timeouts } = extra as { options: string };
  const dataSource = new DataSource({
    ...others,
    extra: { ...timeouts, query_timeout: 0 },
    poolSize: 1,
    migrationsTransactionMode: 'each',
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.destroy();
  }
}

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

const RELATIONS = `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'S', 'i') AND n.nspname NOT LIKE 'pg_%' AND n.nspname <> 'information_schema' ORDER BY 1`;
const relationsOf = async (url: string): Promise<string[]> => (await query<{ name: string }>(url, RELATIONS)).map(({ name }) => name);

describe('a database role named like a schema', () => {
  it.each(CASES)('%s-service as %s starts repeatedly with correct tables', async (service, role) => {
    const options = SERVICES[service](await emptyDatabase(role));
    for (let starts = 0; starts < 2; starts += 1) await startOnce(options);
    expect(await relationsOf(options.url)).toEqual(usual.get(service));
  });

  it.each(CASES)('%s-service as %s repairs tables of earlier releases', async (service, role) => {
    const options = SERVICES[service](await emptyDatabase(role));
    await startAsBefore(options);
    const feed = service === 'keys' ? SessionFeed.name : DeploymentFeed.name;
    await query(options.url, `INSERT INTO ${feed}_feed_head (epoch, seq, kept_after) VALUES ('kept', 7, 0)`);
    await expect(startAsBefore(options)).rejects.toThrow(/already exists/);
    await expect(startAsBefore(options)).rejects.toThrow(/already exists/);
    expect(await relationsOf(options.url)).not.toEqual(usual.get(service));

    for (let starts = 0; starts < 2; starts += 1) await startOnce(options);
    expect(await relationsOf(options.url)).toEqual(usual.get(service));
    expect(await query(options.url, `SELECT epoch, seq::int FROM public.${feed}_feed_head`)).toEqual([{ epoch: 'kept', seq: 7 }]);
    const names = await query<{ name: string }>(options.url, 'SELECT name FROM public.migrations ORDER BY name');
    const applied = (options.migrations as { name: string }[]).map(({ name }) => ({ name }));
    expect(names).toEqual(applied.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });
});
