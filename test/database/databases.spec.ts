import { setTimeout as delay } from 'node:timers/promises';
import { Database, ensureDatabase, type OwnedDatabase, provideDatabases } from '@slipway/database';
import { createLogger } from '@slipway/platform';
import { startOwnPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';

let postgres: TestPostgres;
const opened: Client[] = [];

beforeAll(async () => {
  postgres = await startOwnPostgres();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.end().catch(() => undefined)));
});

afterAll(() => postgres?.stop());

function addressOf(database: string, login?: OwnedDatabase): string {
  const url = new URL(postgres.url);
  url.pathname = `/${database}`;
  if (login) Object.assign(url, { username: login.role, password: encodeURIComponent(login.password) });
  return url.href;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  opened.push(client);
  return client;
}

const admin = (): Promise<Client> => connect(postgres.url);

/** Checks that only the owner may use its database. */
async function expectUsable(own: OwnedDatabase): Promise<void> {
  const client = await connect(addressOf(own.database, own));
  await client.query('CREATE TABLE tried (id integer); DROP TABLE tried');
}

const service = (name: string, env = 'dev'): OwnedDatabase => ({
  database: `slipway_${env}_${name}`,
  role: `slipway_${name}`,
  password: `it's "${name}" \\ %I $1`,
});
const [keys, deployments] = [service('keys'), service('deployments')];

describe('databases and their roles', () => {
  it('are created by services that start together', async () => {
    const names = ['first', 'second', 'third'].flatMap((name) => [name, name, name, name]);
    await Promise.all(names.map((name) => ensureDatabase(addressOf(name))));
    const clients: unknown[] = [];
    for (const name of names) clients.push(await connect(addressOf(name)));
    expect(clients).toHaveLength(names.length);
  });

  it('are opened by services that start together', async () => {
    const open = async (name: string): Promise<void> => {
      const log = createLogger('test', 'silent');
      const database = new Database({ url: addressOf(name), applicationName: name, entities: [], migrations: [], log });
      await database.open();
      await database.close();
    };
    expect(await Promise.all(['a', 'b', 'a', 'b', 'c'].map((name) => open(`opened_${name}`)))).toHaveLength(5);
  });

  it('answer a process that stood still meanwhile', async () => {
    const log = createLogger('test', 'silent');
    const database = new Database({ url: addressOf('stood_still'), applicationName: 'test', entities: [], migrations: [], log });
    await database.open();
    try {
      const answer = database.transactions.run((tx) => tx.query<{ one: number }[]>('SELECT 1 AS one FROM pg_sleep(0.3)'));
      await delay(150);
      // After this the event loop looks at its timers before it reads its sockets.
      await new Promise(setImmediate);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      expect(await answer).toEqual([{ one: 1 }]);
    } finally {
      await database.close();
    }
  });

  it('are created by one repeatable step', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => provideDatabases(postgres.url, [keys, deployments])));
    expect(made.flat().toSorted()).toEqual([deployments.database, keys.database]);
    await expectUsable(keys);
    await expectUsable(deployments);
    expect(await provideDatabases(postgres.url, [keys, deployments])).toEqual([]);
    await expect(connect(addressOf(deployments.database, keys))).rejects.toThrow(/permission denied/);
  });

  it('follow a changed password and keep data', async () => {
    await provideDatabases(postgres.url, [keys]);
    await (await connect(addressOf(keys.database, keys))).query('CREATE TABLE kept AS SELECT 1 AS one');
    const changed = { ...keys, password: 'another' };
    await provideDatabases(postgres.url, [changed]);
    await expect(connect(addressOf(keys.database, keys))).rejects.toThrow(/password/);
    expect((await (await connect(addressOf(keys.database, changed))).query('SELECT one FROM kept')).rowCount).toBe(1);
    await provideDatabases(postgres.url, [keys]);
  });

  it('are added for environments and services later', async () => {
    await provideDatabases(postgres.url, [keys, deployments]);
    const later = [service('keys', 'prod'), service('tuning')];
    expect(await provideDatabases(postgres.url, [keys, deployments, ...later])).toEqual(later.map(({ database }) => database));
    for (const one of [keys, deployments, ...later]) await expectUsable(one);
  });

  it('are complete after interrupted steps', async () => {
    const names = Array.from({ length: 6 }, (_, i) => ({ ...service(`cut${i}`), role: 'slipway_cut' }));
    const killer = await admin();
    let stopped = false;
    const killing = (async () => {
      while (!stopped) {
        await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND datname = 'postgres' AND backend_start < now() - interval '40 ms'`);
      }
    })();
    const runs = await Promise.allSettled(names.map(() => provideDatabases(postgres.url, names)));
    stopped = true;
    await killing;
    expect(runs.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
    await provideDatabases(postgres.url, names);
    for (const one of names.map((name) => ({ ...name, password: names.at(-1)!.password }))) await expectUsable(one);
  });

  it('wait for a template that another session copies', async () => {
    const busy = await admin();
    await busy.query(`UPDATE pg_database SET datallowconn = true WHERE datname = 'template0'`);
    const holder = await connect(addressOf('template0'));
    const making = ensureDatabase(addressOf('after_template'));
    const waiting = `SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE DATABASE "after_template"%' AND state = 'active'`;
    await until('the database is being made', async () => (await busy.query(waiting)).rowCount === 1);
    await holder.end();
    await making;
    await busy.query(`UPDATE pg_database SET datallowconn = false WHERE datname = 'template0'`);
    await connect(addressOf('after_template'));
  });

  it('are refused to users without the right', async () => {
    await provideDatabases(postgres.url, [keys]);
    await expect(ensureDatabase(addressOf('forbidden', keys))).rejects.toThrow(/permission denied/);
    const failure: unknown = await provideDatabases(addressOf('postgres', keys), [deployments]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(JSON.stringify(Object.assign({}, failure, { message: (failure as Error).message }))).not.toContain('deployments');
  });
});
