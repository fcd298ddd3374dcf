import type { Client } from 'pg';
import { OWN } from './catalog.js';

/** Statements as text, each of which the database makes itself, quoted. */
async function statements(client: Client, query: string): Promise<string[]> {
  return (await client.query<{ statement: string }>(query)).rows.map(({ statement }) => statement);
}

async function runAll(client: Client, all: readonly string[]): Promise<void> {
  for (const statement of all) await client.query(statement);
}

/** Whether the database has no table of its own. */
export async function isEmpty(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND ${OWN('n', 'c')} LIMIT 1`,
  );
  return rows.length === 0;
}

/** Other sessions of a service on this database, by the names that its connections have. */
export async function servicesOn(client: Client, applicationName: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND starts_with(application_name, $1) ORDER BY 1`,
    [applicationName],
  );
  return rows.map(({ name }) => name);
}

/** Drops all that a service made: schemas, and in `public` tables, sequences, functions and types. */
export async function clearDatabase(client: Client): Promise<void> {
  const inPublic = (catalog: string, column: string, what: string): string =>
    `SELECT format('DROP ${what} IF EXISTS %s CASCADE', o.oid::${column}) AS statement
     FROM ${catalog} o JOIN pg_namespace n ON n.oid = o.${catalog === 'pg_class' ? 'relnamespace' : 'pronamespace'}
     WHERE n.nspname = 'public' AND ${OWN('n', 'o')}`;
  const relations = (kinds: string, what: string): string => `${inPublic('pg_class', 'regclass', what)} AND o.relkind IN (${kinds})`;
  await runAll(
    client,
    await statements(
      client,
      `SELECT format('DROP SCHEMA %I CASCADE', n.nspname) AS statement FROM pg_namespace n WHERE n.nspname <> 'public' AND ${OWN('n', 'n')}`,
    ),
  );
  await runAll(client, await statements(client, relations(`'v'`, 'VIEW')));
  await runAll(client, await statements(client, relations(`'m'`, 'MATERIALIZED VIEW')));
  await runAll(client, await statements(client, relations(`'r', 'p'`, 'TABLE')));
  await runAll(client, await statements(client, relations(`'S'`, 'SEQUENCE')));
  await runAll(client, await statements(client, inPublic('pg_proc', 'regprocedure', 'ROUTINE')));
  await runAll(
    client,
    await statements(
      client,
      `SELECT format('DROP TYPE IF EXISTS %s CASCADE', o.oid::regtype) AS statement FROM pg_type o JOIN pg_namespace n ON n.oid = o.typnamespace
       WHERE n.nspname = 'public' AND o.typtype IN ('e', 'd', 'r') AND ${OWN('n', 'o')}`,
    ),
  );
}

/** Drops the foreign keys, so that tables can be filled in any order. @returns what adds them again, and checks all rows */
export async function dropForeignKeys(client: Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ remove: string; add: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname) AS remove,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) AS add
     FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace WHERE k.contype = 'f' AND k.conparentid = 0 AND ${OWN('n', 'k')}`,
  );
  await runAll(client, ['SET CONSTRAINTS ALL IMMEDIATE', ...rows.map(({ remove }) => remove)]);
  return () =>
    runAll(
      client,
      rows.map(({ add }) => add),
    );
}

/** Keeps triggers from firing: what they did is in the archive. @returns what lets them fire again */
export async function triggersOff(client: Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const set = (word: string): string[] => tables.map((table) => `ALTER TABLE ${table} ${word} TRIGGER USER`);
  await runAll(client, set('DISABLE'));
  return () => runAll(client, set('ENABLE'));
}

/** Removes the rows that migrations made. Append-only tables have none yet, and their owner may not empty them. */
export async function emptyTables(client: Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await client.query(`SELECT FROM ${table} LIMIT 1`);
    if (rows.length > 0) await client.query(`TRUNCATE ${table}`);
  }
}
