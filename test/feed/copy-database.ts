import type { TestPostgres } from '@slipway/testing';
import { until, withSql } from './feed-rig.js';

/** Replaces the database `to` by a copy of `from`. Closes all connections to both; clients may reconnect. */
export async function copyDatabase(postgres: TestPostgres, from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map((url) => new URL(url).pathname.slice(1));
  await withSql(postgres.url, async (client) => {
    await client.query(`ALTER DATABASE ${source} ALLOW_CONNECTIONS false`);
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('${source}', '${target}')`);
    await client.query(`DROP DATABASE IF EXISTS ${target} WITH (FORCE)`);
    await until('the copy is made', () =>
      client.query(`CREATE DATABASE ${target} TEMPLATE ${source}`).then(
        () => true,
        () => false,
      ),
    );
    await client.query(`ALTER DATABASE ${source} ALLOW_CONNECTIONS true`);
  });
}
