import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateKey,
  CreateMcpKey,
  FindMcpKey,
  ListKeys,
  RevokeKey,
  RotateKey,
  RotateMcpKey,
  type AccountId,
  type RpcContract,
} from '@slipway/contracts';
import { macOf } from '@slipway/platform';
import { TcpGate } from '@slipway/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { until } from '../../testing/until.js';
import { PEPPER } from '../keys-service.js';
import { KeysWorld } from '../keys-world.js';

/** Keeps a copy of every committed record: the feed forgets those of earlier epochs. */
const WITNESS = [
  `CREATE TABLE published (record text, ver bigint, body jsonb)`,
  `CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO published VALUES (NEW.record, NEW.ver, NEW.body); RETURN NULL; END $$`,
  `CREATE TRIGGER witness AFTER INSERT ON key_feed_outbox FOR EACH ROW EXECUTE FUNCTION witness()`,
];

/** Keys whose row and last feed record differ. */
const TORN = `
  WITH last AS (SELECT DISTINCT ON (record) record, ver, body FROM published WHERE record LIKE 'key:%' ORDER BY record, ver DESC)
  SELECT k.id, k.ver, l.record, l.ver AS published FROM keys.key k FULL JOIN last l ON l.record = 'key:' || k.id
  WHERE k.id IS NULL OR l.record IS NULL OR l.ver <> k.ver OR l.body->>'state' <> k.state
    OR l.body->>'mac' <> rtrim(translate(encode(k.mac, 'base64'), '+/', '-_'), '=')`;

describe('an outage', { timeout: 120_000 }, () => {
  let world: KeysWorld;

  beforeEach(async () => {
    world = await KeysWorld.start();
  });
  afterEach(() => world.end());

  const witness = async (): Promise<void> => {
    for (const statement of WITNESS) await world.sql(statement);
  };

  it('of the service leaves every change whole or undone', async () => {
    let service = await world.replicaProcess();
    await witness();
    const gateway = await world.gateway('gw-1');
    const account = await world.account();
    const answered = new Map<number, string>();
    const revoked = new Set<number>();
    let dying = false;
    const attempt = <C extends RpcContract>(contract: C, request: z.input<C['request']>) =>
      world.ops.call({ ...contract, timeoutMs: 2_000 }, request).catch(() => null);
    const work = async (): Promise<void> => {
      while (!dying) {
        const made = await attempt(CreateKey, { account, name: 'short life' });
        if (made === null) continue;
        answered.set(made.id, made.value);
        const address = { account, key: made.id };
        const rotated = await attempt(RotateKey, address);
        // Without a reply, either of the two values may be the current one.
        answered.delete(made.id);
        if (rotated === null) continue;
        answered.set(made.id, rotated.value);
        if (made.id % 2 === 0 && (await attempt(RevokeKey, address))) revoked.add(made.id);
      }
    };
    for (let death = 0; death < 2; death += 1) {
      dying = false;
      const before = answered.size;
      const workers = Array.from({ length: 8 }, work);
      await until('some work is done', () => answered.size >= before + 12);
      expect(await service.stop('SIGKILL')).toBeNull();
      dying = true;
      await Promise.all(workers);
      expect(await world.sql(TORN)).toEqual([]);
      service = await world.replicaProcess();
    }
    const rows = await world.sql<{ id: number; mac: Buffer; state: string }>(`SELECT id, mac, state FROM keys.key`);
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const [id, value] of answered) expect([id, stored.get(id)?.mac.equals(macOf(value, PEPPER))]).toEqual([id, true]);
    for (const id of revoked) expect([id, stored.get(id)?.state]).toEqual([id, 'revoked']);
    for (const { id, mac, state } of rows) {
      await until(`the gateway knows key ${id} as it is`, () => {
        const known = gateway.key(id);
        return known?.mac === mac.toString('base64url') && known.state === state;
      });
    }
  });

  it('of PostgreSQL is reported as unavailable and survived', async () => {
    const gate = await TcpGate.open(world.database);
    try {
      await world.replica({ KEYS_DATABASE_URL: gate.through(world.database) });
      await witness();
      const gateway = await world.gateway('gw-1');
      const account = await world.account();
      const { id: key, value } = await world.ask(CreateKey, { account, name: 'a key' });
      await until('the gateway knows the key', () => gateway.admits(value));
      for (const breakIt of [() => gate.refuse(), () => gate.swallow()]) {
        breakIt();
        expect(await everythingRefused(account, key)).toEqual(Array.from({ length: 6 }, () => ({ code: 'unavailable' })));
        gate.allow();
        await until('the service answers again', async () => (await world.outcome(ListKeys, { account })).reply);
      }
      expect(await world.sql(TORN)).toEqual([]);
      const { value: next } = await world.ask(RotateKey, { account, key });
      await until('the gateway knows the new value', () => gateway.admits(next));
      expect(gateway.admits(value)).toBe(false);
      await world.ask(RevokeKey, { account, key });
      await until('the gateway refuses it', () => !gateway.admits(next));
    } finally {
      await gate.end();
    }
  });

  const everythingRefused = (account: AccountId, key: number) =>
    Promise.all([
      world.outcome(CreateKey, { account, name: 'x' }),
      world.outcome(ListKeys, { account }),
      world.outcome(RotateKey, { account, key }),
      world.outcome(RevokeKey, { account, key }),
      world.outcome(CreateMcpKey, { account }),
      world.outcome(FindMcpKey, { account }),
    ]);

  it('of PostgreSQL leaves one whole MCP key', async () => {
    const gate = await TcpGate.open(world.database);
    try {
      await world.replica({ KEYS_DATABASE_URL: gate.through(world.database) });
      await witness();
      const account = await world.account();
      for (let round = 0; round < 5; round += 1) {
        const calls = Promise.all([
          world.outcome(CreateMcpKey, { account }),
          world.outcome(RotateMcpKey, { account }),
          world.outcome(CreateMcpKey, { account }),
        ]);
        await delay(round * 4);
        gate.refuse();
        const codes = (await calls).map(({ code }) => code ?? 'done');
        for (const code of codes) expect(['done', 'unavailable', 'mcp_key_exists', 'key_not_found']).toContain(code);
        gate.allow();
        await until('the service answers again', async () => (await world.outcome(FindMcpKey, { account })).reply);
        expect(await world.sql(TORN)).toEqual([]);
      }
      await until('the MCP key stands', async () => {
        const { code } = await world.outcome(CreateMcpKey, { account });
        return code === 'mcp_key_exists';
      });
      expect(await world.sql(`SELECT count(*)::int AS keys FROM keys.key WHERE account_id = $1`, [account])).toEqual([{ keys: 1 }]);
    } finally {
      await gate.end();
    }
  });
});
