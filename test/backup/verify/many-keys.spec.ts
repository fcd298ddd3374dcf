import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestPostgres } from '@slipway/testing';
import { expect, it, onTestFinished } from 'vitest';
import { keysDatabase } from '../../services/migrated.js';
import { dumpKeys, loadKeys, rowsOf } from '../restored-keys.js';

const KEYS = 100_000;

const seconds = (since: number): string => ((performance.now() - since) / 1_000).toFixed(1);

it('restores a hundred thousand keys', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-many-'));
  const postgres = await startTestPostgres();
  onTestFinished(async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const source = await keysDatabase(postgres);
  await rowsOf(source, `INSERT INTO accounts.account (slug) VALUES ('acme')`);
  await rowsOf(
    source,
    `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint)
     SELECT 1, 'dep', 'key ' || i, sha256(convert_to(i::text, 'UTF8')), 'p1', 'svc_dep_abcd' FROM generate_series(1, ${KEYS}) i`,
  );
  const archive = join(folder, 'keys.tar');
  const dumpedAt = performance.now();
  await dumpKeys(source, archive);
  const dumped = seconds(dumpedAt);
  const target = await postgres.createDatabase();
  const loadedAt = performance.now();
  await (await loadKeys(target, archive)).commit();
  const { size } = await stat(archive);
  process.stdout.write(`${KEYS} keys: backup ${dumped} s, ${(size / 2 ** 20).toFixed(1)} MiB, restore ${seconds(loadedAt)} s\n`);
  expect((await rowsOf(target, 'SELECT FROM keys.key')).length).toBe(KEYS);
});
