import { provideDatabases } from '@slipway/database';
import { type RunningService } from '@slipway/platform/service';
import { startOwnPostgres, type TestPostgres, TestNatsServer } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../../apps/keys-service/src/db/schema.js';
import { runCli, runCliInProcess } from '../../cli/cli-rig.js';
import { startApp } from '../../services/service-in-process.js';
import { until } from '../../testing/until.js';

const NAMES = schema.migrations.map(({ name }) => name);
const KEYS = { KEY_PEPPERS: `p1:${'ab'.repeat(32)}`, SLIPWAY_SECRET_KEY: 'cd'.repeat(32), MIGRATE: 'never' };

let postgres: TestPostgres;
let nats: TestNatsServer;
let own: string;
let migrating: string;

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as unknown[];
  } finally {
    await client.end();
  }
}

const addressOf = (user: string, options?: string): string => {
  const url = new URL(postgres.url);
  Object.assign(url, { username: user, password: 'secret', pathname: '/migrated' });
  if (options !== undefined) url.searchParams.set('options', options);
  return url.href;
};

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startOwnPostgres(), TestNatsServer.start({ config: 'jetstream {}' })]);
  await provideDatabases(postgres.url, [{ role: 'slipway_keys', password: 'secret', database: 'migrated' }]);
  await query(postgres.url, `CREATE ROLE migrator LOGIN PASSWORD 'secret' IN ROLE slipway_keys`);
  [own, migrating] = [addressOf('slipway_keys'), addressOf('migrator', '-c search_path=public -c role=slipway_keys')];
});
afterAll(async () => {
  await nats.end();
  await postgres.stop();
});

const migrate = (word: string, url: string): ReturnType<typeof runCli> =>
  runCli(['migrate', word], { environment: { KEYS_DATABASE_URL: url } });

it('another role migrates while the service waits', async () => {
  const log: string[] = [];
  let running: RunningService | undefined;
  const starting = startApp('keys-service', { ...KEYS, KEYS_DATABASE_URL: own, NATS_URL: nats.url }, (line) => log.push(line));
  void starting.then((service) => (running = service));
  await until('it says what it waits for', () => log.some((line) => line.includes('database.migrations_pending')));
  const planned = await migrate('--plan', migrating);
  expect([planned.stderr, planned.stdout.trim().split('\n')]).toEqual(['', NAMES.map((name) => `keys-service: ${name} is pending.`)]);
  expect(await query(own, `SELECT FROM pg_tables WHERE tablename IN ('migrations', 'account')`)).toEqual([]);
  expect(running).toBeUndefined();
  const applied = await migrate('--apply', migrating);
  expect([applied.stderr, applied.stdout.trim().split('\n')]).toEqual(['', NAMES.map((name) => `keys-service: ${name} has run.`)]);
  expect((await migrate('--plan', migrating)).stdout).toBe('keys-service: The database lacks no migration.\n');
  const service = await starting;
  await service.stop();
  expect(await query(own, `SELECT DISTINCT tableowner FROM pg_tables WHERE tablename = 'migrations'`)).toEqual([
    { tableowner: 'slipway_keys' },
  ]);
});

it('asks for one of the two words and an address', async () => {
  expect(await runCliInProcess(['migrate'])).toMatchObject({ code: 2 });
  expect((await runCliInProcess(['migrate', '--plan'])).stderr).toContain('DATABASE_URL is not set');
});
