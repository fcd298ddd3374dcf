import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { startOwnPostgres, startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const fill = (url: string): Promise<unknown[]> => rows(url, 'CREATE TABLE t (n int); INSERT INTO t VALUES (1)');

describe('the PostgreSQL of a test file', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres?.stop());

  it('copies a template that was prepared once', async () => {
    let prepared = 0;
    const prepare = async (url: string): Promise<void> => {
      prepared += 1;
      await fill(url);
    };
    const [one, two] = await Promise.all([postgres.cloneDatabase('filled', prepare), postgres.cloneDatabase('filled', prepare)]);
    await rows(one, 'UPDATE t SET n = 2');
    const three = await postgres.cloneDatabase('filled', prepare);
    expect(await Promise.all([one, two, three].map((url) => rows(url, 'SELECT n FROM t')))).toEqual([[{ n: 2 }], [{ n: 1 }], [{ n: 1 }]]);
    expect(prepared).toBe(1);
  });

  it('is UTF-8 and counts time in UTC', async () => {
    const url = await postgres.createDatabase();
    expect(await rows(url, "SELECT current_setting('server_encoding') AS encoding, current_setting('timezone') AS zone")).toEqual([
      { encoding: 'UTF8', zone: 'UTC' },
    ]);
  });

  it('ends at once with a connection open, and leaves no process', async () => {
    const other = await startOwnPostgres();
    const client = new Client({ connectionString: other.url });
    client.on('error', () => undefined);
    await client.connect();
    await other.stop();
    expect(existsSync(`/proc/${other.pid}`)).toBe(false);
    await other.stop();
  });
});
