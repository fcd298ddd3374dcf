import { createAuditChain, createAuditTable, readAuditChain, type Tx } from '@slipway/database';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChainCheck } from '../../apps/cli/src/audit/audit-chain.js';

let postgres: TestPostgres;
let url: string;
let database: Client;
const clients: Client[] = [];

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  url = await postgres.createDatabase();
  database = await connect();
  for (const statement of createAuditTable()) await database.query(statement);
  // Entries of the release before the chain.
  await database.query(
    `INSERT INTO audit.entry (action, actor, object) SELECT 'key.create', 'ops', 'key:' || n FROM generate_series(1, 5) n`,
  );
  for (const statement of createAuditChain()) await database.query(statement);
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await postgres.stop();
});

const insert = (object: string): string =>
  `INSERT INTO audit.entry (account_id, action, actor, actor_name, object, facts) VALUES (3, 'key.revoke', 'user', 'ä@example.com', '${object}', '{"b":1,"a":"é"}')`;

/** The fault of the chain; null = none. */
async function fault(onStatement: () => void = () => undefined): Promise<string | null> {
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    onStatement();
    return (await database.query(text, values)).rows;
  };
  const tx = { query } as unknown as Tx;
  const check = new ChainCheck();
  for (let after = 0; ; after = check.head.seq) {
    const { entries, unsealed } = await readAuditChain(tx, after);
    for (const entry of entries) check.take(entry);
    if (entries.length === 0 || check.fault([]) !== null) return check.fault(unsealed);
  }
}

/** Runs statements with all triggers off, as only a superuser can. @returns the fault of the chain; the statements are rolled back */
async function tampered(...statements: string[]): Promise<string | null> {
  await database.query('BEGIN');
  try {
    await database.query(`SET LOCAL session_replication_role = replica`);
    for (const statement of statements) await database.query(statement);
    return await fault();
  } finally {
    await database.query('ROLLBACK');
  }
}

it('seals old entries and each new one at commit', async () => {
  await database.query(insert('key:6'));
  const { rows } = await database.query<{ seq: string; entry_id: string }>(`SELECT seq, entry_id FROM audit.seal ORDER BY seq`);
  expect(rows.map(({ seq, entry_id: id }) => [seq, id])).toEqual(['1', '2', '3', '4', '5', '6'].map((n) => [n, n]));
  expect(await fault()).toBeNull();
});

it('stays whole under concurrent and rolled back transactions', async () => {
  const writers = await Promise.all(Array.from({ length: 8 }, connect));
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let n = 0; n < 20; n += 1) {
        await writer.query('BEGIN');
        await writer.query(insert(`key:${i}-${n}`));
        await writer.query(n % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
      }
    }),
  );
  expect(await fault()).toBeNull();
  const { rows } = await database.query<{ n: string }>(`SELECT max(seq) AS n FROM audit.seal`);
  expect(Number(rows[0]?.n)).toBe(6 + 8 * 16);
});

it("does not depend on the reader's time zone", async () => {
  await database.query(`SET TIME ZONE 'Asia/Tokyo'`);
  expect(await fault()).toBeNull();
});

it.each([
  ['changed', [`UPDATE audit.entry SET actor_name = 'somebody else' WHERE id = 6`], 'Entry 6 was changed'],
  ['deleted', [`DELETE FROM audit.entry WHERE id = 4`], 'entry 4 was taken away'],
  [
    'deleted with its seal',
    [`DELETE FROM audit.entry WHERE id = 4`, `DELETE FROM audit.seal WHERE seq = 4`],
    'Entry 4 of the chain is missing',
  ],
  ['put in past the chain', [insert('key:forged')], 'not in the chain'],
])('finds an entry that was %s', async (_, statements, words) => {
  expect(await tampered(...statements)).toContain(words);
});

it('refuses changes of its seals too', async () => {
  for (const statement of [`UPDATE audit.seal SET seq = 99 WHERE seq = 1`, `DELETE FROM audit.seal`, `TRUNCATE audit.seal`]) {
    await expect(database.query(statement)).rejects.toThrow('append-only');
  }
});

it('of 100,000 entries is checked in parts', async () => {
  const entries = 100_000;
  await database.query(
    `INSERT INTO audit.entry (action, actor, object) SELECT 'key.create', 'ops', 'key:' || n FROM generate_series(1, ${entries}) n`,
  );
  let statements = 0;
  expect(await fault(() => (statements += 1))).toBeNull();
  // A page has 200 entries; a few more statements look for unsealed ones.
  expect(statements).toBeLessThan(entries / 200 + 20);
  expect(await tampered(insert('key:forged'))).toContain('not in the chain');
}, 120_000);
