import { Client } from 'pg';
import { parseDatabaseUrl } from './database-url.js';
import { clientTimeouts } from './settings.js';

/** Codes of "there is no such database" and of two creating it at once. */
const MISSING = '3D000';
const MADE_BY_ANOTHER = new Set(['42P04', '23505']);
/** Another session is using the template at this moment. */
const TEMPLATE_BUSY = '55006';
const TEMPLATE_TRIES = 20;

const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined);

async function withClient<T>(url: string, work: (client: Client) => Promise<T>, timeoutMs?: number): Promise<T> {
  const client = new Client({ connectionString: url, ...clientTimeouts, ...(timeoutMs !== undefined && { query_timeout: timeoutMs }) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function create(url: URL): Promise<void> {
  const name = decodeURIComponent(url.pathname.slice(1));
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const statement = `CREATE DATABASE "${name.replaceAll('"', '""')}" ENCODING 'UTF8' TEMPLATE template0`;
  for (let left = TEMPLATE_TRIES; ; left -= 1) {
    try {
      await withClient(maintenance.href, (client) => client.query(statement), 30_000);
      return;
    } catch (error) {
      if (MADE_BY_ANOTHER.has(String(codeOf(error)))) return;
      if (codeOf(error) !== TEMPLATE_BUSY || left === 0) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }
}

/**
 * Makes the database that an address names, unless it exists. Any number of replicas may do it at once.
 * @throws the driver's error when the server does not answer or the user may not create databases.
 */
export async function ensureDatabase(address: string): Promise<void> {
  const url = parseDatabaseUrl(address);
  try {
    await withClient(url.href, (client) => client.query('SELECT 1'));
  } catch (error) {
    if (codeOf(error) !== MISSING) throw error;
    await create(url);
  }
}
