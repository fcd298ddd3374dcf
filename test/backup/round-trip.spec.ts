import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '@slipway/database/backup';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keysDatabase } from '../services/migrated.js';
import { dumpKeys, loadKeys, rowsOf } from './restored-keys.js';

let folder: string;
let archive: string;
let postgres: TestPostgres;
let source: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-round-trip-'));
  archive = join(folder, 'keys.tar');
  postgres = await startTestPostgres();
  source = await keysDatabase(postgres);
  await rowsOf(source, `INSERT INTO accounts.account (slug) SELECT 'account-' || i FROM generate_series(1, 50) i`);
  await rowsOf(
    source,
    `INSERT INTO audit.entry (account_id, action, actor, object) SELECT i, 'account.create', 'ops', 'account:' || i FROM generate_series(1, 50) i`,
  );
  await dumpKeys(source, archive);
});
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const ACCOUNTS = 'SELECT id, slug FROM accounts.account ORDER BY id';
const SEALS = `SELECT seq, encode(hash, 'hex') AS hash FROM audit.seal ORDER BY seq`;

it('brings back rows, numbers and the chain of the audit log', async () => {
  const target = await postgres.createDatabase();
  await (await loadKeys(target, archive)).commit();
  for (const statement of [ACCOUNTS, SEALS, 'SELECT name FROM migrations ORDER BY id']) {
    expect(await rowsOf(target, statement)).toEqual(await rowsOf(source, statement));
  }
  const [next] = await rowsOf<{ id: number }>(target, `INSERT INTO accounts.account (slug) VALUES ('next') RETURNING id`);
  expect(next?.id).toBe(51);
  await rowsOf(target, `INSERT INTO audit.entry (account_id, action, actor, object) VALUES (51, 'account.create', 'ops', 'account:51')`);
  expect(await rowsOf(target, SEALS)).toHaveLength(51);
  await expect(rowsOf(target, 'DELETE FROM audit.entry')).rejects.toThrow('append-only');
});

it('leaves nothing when it is rolled back', async () => {
  const target = await postgres.createDatabase();
  await (await loadKeys(target, archive)).rollback();
  expect(await rowsOf(target, `SELECT FROM pg_namespace WHERE nspname = 'accounts'`)).toEqual([]);
});

it('replaces a database only when it is told to', async () => {
  const target = await keysDatabase(postgres);
  await expect(loadKeys(target, archive)).rejects.toThrow('is not empty');
  await (await loadKeys(target, archive, true)).commit();
  expect(await rowsOf(target, ACCOUNTS)).toHaveLength(50);
});

it('refuses migrations that this release does not know', async () => {
  const path = join(folder, 'newer.tar');
  const writer = await ArchiveWriter.create(path);
  const part = { moment: '2030-01-01T00:00:00.000Z', server: '18.0', secrets: {}, audit: null, tables: [], sequences: [] };
  await writer.finish({ release: '9.0.0', environment: 'test', databases: { keys: { ...part, migrations: ['Later2000000000000'] } } });
  await expect(loadKeys(await postgres.createDatabase(), path)).rejects.toThrow('Later2000000000000');
});
