import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { parseDatabaseUrl } from './database-url.js';
import { connectionSettings } from './settings.js';

/** SQLSTATE: the database does not exist. */
const MISSING = '3D000';
/** SQLSTATE codes of a concurrent creation. */
const MADE_BY_ANOTHER = new Set(['42P04', '23505']);
/** SQLSTATE: another session uses the template. */
const TEMPLATE_BUSY = '55006';
/** Internal error of PostgreSQL 18 when two databases are created at once. */
const BATCH_BUSY = 'starting batch';
const TRIES = 20;
const PAUSE_MS = 100;
/** Connection timeout for a server on a busy machine. */
const CONNECT_MS = 10_000;
/** Timeout of a creation, which copies the template and waits for concurrent creations. */
const MAKING_MS = 60_000;

const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined);

const isPassing = (error: unknown): boolean =>
  codeOf(error) === TEMPLATE_BUSY || (codeOf(error) === 'XX000' && error instanceof Error && error.message.includes(BATCH_BUSY));

async function withClient<T>(url: string, timeoutMs: number | undefined, work: (client: Client) => Promise<T>): Promise<T> {
  const longer = timeoutMs !== undefined && { connectionTimeoutMillis: CONNECT_MS, query_timeout: timeoutMs, statement_timeout: timeoutMs };
  const client = new Client({ connectionString: url, ...connectionSettings, ...longer });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Runs `work` on the server's maintenance database `postgres`, one caller at a time. All changes of databases and roles use it.
 * @param address of any database of the server
 */
export async function onMaintenance<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const url = parseDatabaseUrl(address);
  url.pathname = '/postgres';
  return withClient(url.href, MAKING_MS, async (client) => {
    // Closing the session releases the lock.
    await client.query(`SELECT pg_advisory_lock(hashtextextended('slipway.databases', 0))`);
    return work(client);
  });
}

/** Creates a database unless it exists; for callers inside `onMaintenance`. @returns whether it was created */
export async function createDatabase(client: Client, name: string): Promise<boolean> {
  for (let left = TRIES; ; left -= 1) {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return false;
    try {
      await client.query(`CREATE DATABASE ${quoted(name)} ENCODING 'UTF8' TEMPLATE template0`);
      return true;
    } catch (error) {
      // Other programs do not take the lock.
      if (MADE_BY_ANOTHER.has(String(codeOf(error)))) return false;
      if (!isPassing(error) || left === 0) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/**
 * Creates the database of an address unless it exists. Services and replicas may do this concurrently.
 * @throws the driver's error when the server does not answer or the user may not create databases.
 */
export async function ensureDatabase(address: string): Promise<void> {
  const url = parseDatabaseUrl(address);
  try {
    await withClient(url.href, undefined, (client) => client.query('SELECT 1'));
  } catch (error) {
    if (codeOf(error) !== MISSING) throw error;
    await onMaintenance(address, (client) => createDatabase(client, decodeURIComponent(url.pathname.slice(1))));
  }
}
