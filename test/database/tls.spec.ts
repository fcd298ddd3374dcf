import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@slipway/database';
import { createLogger } from '@slipway/platform';
import { startOwnPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAuthority, makeCertificate, type MadeCertificate, validFor } from '../../apps/cli/src/certs/make-certificates.js';
import { until } from '../testing/until.js';

let postgres: TestPostgres;
let folder: string;

async function secureWith({ cert, key }: MadeCertificate): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  const data = rows[0]?.data_directory ?? '';
  const { uid, gid } = await stat(data);
  for (const [name, text] of [['server.crt', cert] as const, ['server.key', key] as const]) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    await chown(join(data, name), uid, gid);
  }
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

const addressWith = (address: string, parameters: Record<string, string>): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

/** Opens a service's database, and says whether its session is encrypted. */
async function isEncrypted(url: string): Promise<boolean> {
  const log = createLogger('test', 'silent');
  const database = new Database({ url, applicationName: 'tls test', entities: [], migrations: [], log });
  const opened = database.open();
  try {
    await opened;
    const found = await database.transactions.run((tx) => tx.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'));
    return (found as { ssl: boolean }[])[0]?.ssl === true;
  } finally {
    await database.close();
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-pg-tls-'));
  postgres = await startOwnPostgres();
  const [authority, other] = [await makeAuthority('right', validFor(5)), await makeAuthority('wrong', validFor(5))];
  await writeFile(join(folder, 'ca.pem'), authority.cert);
  await writeFile(join(folder, 'other.pem'), other.cert);
  await secureWith(await makeCertificate(authority, { name: 'postgres', hosts: ['localhost', '127.0.0.1'], ...validFor(5) }));
  await until('the server offers TLS', async () => {
    const client = new Client({ connectionString: postgres.url, ssl: { rejectUnauthorized: false } });
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return connected;
  });
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

it('encrypts when the address says so and the authority is right', async () => {
  const url = await postgres.createDatabase();
  expect(await isEncrypted(addressWith(url, { sslmode: 'verify-full', sslrootcert: join(folder, 'ca.pem') }))).toBe(true);
});

it('refuses a server of another authority', async () => {
  const url = addressWith(await postgres.createDatabase(), { sslmode: 'verify-full', sslrootcert: join(folder, 'other.pem') });
  await expect(isEncrypted(url)).rejects.toThrow(/self-signed|unable to verify|issuer/);
});
