import { expect, it } from 'vitest';
import { AuditChainStage, insertEntry } from './audit-chain-stage.js';

// A chain of 100,000 entries is under verify.
const stage = AuditChainStage.around();

it('seals old entries and each new one at commit', async () => {
  await stage.database.query(insertEntry('key:6'));
  const { rows } = await stage.database.query<{ seq: string; entry_id: string }>(`SELECT seq, entry_id FROM audit.seal ORDER BY seq`);
  expect(rows.map(({ seq, entry_id: id }) => [seq, id])).toEqual(['1', '2', '3', '4', '5', '6'].map((n) => [n, n]));
  expect(await stage.fault()).toBeNull();
});

it('stays whole under concurrent and rolled back transactions', async () => {
  const writers = await Promise.all(Array.from({ length: 8 }, () => stage.connect()));
  await Promise.all(
    writers.map(async (writer, i) => {
      for (let n = 0; n < 20; n += 1) {
        await writer.query('BEGIN');
        await writer.query(insertEntry(`key:${i}-${n}`));
        await writer.query(n % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
      }
    }),
  );
  expect(await stage.fault()).toBeNull();
  const { rows } = await stage.database.query<{ n: string }>(`SELECT max(seq) AS n FROM audit.seal`);
  expect(Number(rows[0]?.n)).toBe(6 + 8 * 16);
});

it("does not depend on the reader's time zone", async () => {
  await stage.database.query(`SET TIME ZONE 'Asia/Tokyo'`);
  expect(await stage.fault()).toBeNull();
});

it.each([
  ['changed', [`UPDATE audit.entry SET actor_name = 'somebody else' WHERE id = 6`], 'Entry 6 was changed'],
  ['deleted', [`DELETE FROM audit.entry WHERE id = 4`], 'entry 4 was taken away'],
  [
    'deleted with its seal',
    [`DELETE FROM audit.entry WHERE id = 4`, `DELETE FROM audit.seal WHERE seq = 4`],
    'Entry 4 of the chain is missing',
  ],
  ['put in past the chain', [insertEntry('key:forged')], 'not in the chain'],
])('finds an entry that was %s', async (_, statements, words) => {
  expect(await stage.tampered(...statements)).toContain(words);
});

it('refuses changes of its seals too', async () => {
  for (const statement of [`UPDATE audit.seal SET seq = 99 WHERE seq = 1`, `DELETE FROM audit.seal`, `TRUNCATE audit.seal`]) {
    await expect(stage.database.query(statement)).rejects.toThrow('append-only');
  }
});

it('of 2,000 entries is checked in parts', async () => {
  await stage.write(2_000);
  let statements = 0;
  expect(await stage.fault(() => (statements += 1))).toBeNull();
  // A page has 200 entries; a few more statements look for unsealed ones.
  expect(statements).toBeLessThan(2_000 / 200 + 20);
  expect(await stage.tampered(insertEntry('key:forged'))).toContain('not in the chain');
});
