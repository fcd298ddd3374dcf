import {
  CreateKey,
  CreateMcpKey,
  FindMcpKey,
  keyKindOf,
  ListKeys,
  RenameKey,
  RevokeKey,
  RotateKey,
  RotateMcpKey,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { KeysWorld } from './keys-world.js';
import type { TestGateway } from './test-gateway.js';

describe("an account's MCP key", { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let gateway: TestGateway;

  beforeAll(async () => {
    world = await KeysWorld.start();
    await Promise.all([world.replica(), world.replica()]);
    gateway = await world.gateway('gw-1');
  });
  afterAll(() => world?.end());

  const admitted = (value: string): boolean => gateway.admits(value);

  it('is created once and shown without its value', async () => {
    const account = await world.account();
    expect(await world.ask(FindMcpKey, { account })).toEqual({ key: null });
    const made = await world.ask(CreateMcpKey, { account });
    expect(keyKindOf(made.value)).toBe('mcp');
    const found = await world.ask(FindMcpKey, { account });
    expect(found.key).toMatchObject({ id: made.id, hint: made.value.slice(0, 12), state: 'active', expires_at: null });
    expect(JSON.stringify(found)).not.toContain(made.value.slice(12));
    expect((await world.ask(ListKeys, { account })).keys).toEqual([]);
    await until('gateways know it', () => gateway.key(made.id)?.kind === 'mcp');
  });

  it('is refused as a conflict when one exists', async () => {
    const account = await world.account();
    const { value } = await world.ask(CreateMcpKey, { account });
    for (let times = 0; times < 3; times += 1) expect(await world.outcome(CreateMcpKey, { account })).toEqual({ code: 'mcp_key_exists' });
    await until('it opens', () => admitted(value));
  });

  it('is created once by twenty concurrent calls', async () => {
    for (let round = 0; round < 5; round += 1) {
      const account = await world.account();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => world.outcome(CreateMcpKey, { account })));
      const won = outcomes.flatMap(({ reply }) => (reply ? [reply] : []));
      expect(won).toHaveLength(1);
      expect(outcomes.filter(({ code }) => code === 'mcp_key_exists')).toHaveLength(19);
      const rows = await world.sql<{ id: number }>(`SELECT id FROM keys.key WHERE account_id = $1`, [account]);
      expect(rows).toEqual([{ id: won[0]?.id }]);
      const feedRecords = await world.sql(
        `SELECT record FROM key_feed_change WHERE body->>'account' = $1 UNION ALL SELECT record FROM key_feed_outbox WHERE body->>'account' = $1`,
        [String(account)],
      );
      expect(feedRecords).toEqual([{ record: `key:${won[0]?.id}` }]);
    }
  });

  it('gets a new value by rotation, without overlap', async () => {
    const account = await world.account();
    expect(await world.outcome(RotateMcpKey, { account })).toEqual({ code: 'key_not_found' });
    const made = await world.ask(CreateMcpKey, { account });
    await until('it opens', () => admitted(made.value));
    const rotated = await world.ask(RotateMcpKey, { account });
    expect(rotated.id).toBe(made.id);
    expect(keyKindOf(rotated.value)).toBe('mcp');
    await until('the new value opens', () => admitted(rotated.value));
    expect(admitted(made.value)).toBe(false);
    expect((await world.ask(FindMcpKey, { account })).key?.hint).toBe(rotated.hint);
    expect(await world.outcome(CreateMcpKey, { account })).toEqual({ code: 'mcp_key_exists' });
  });

  it('cannot be changed as a deployment key', async () => {
    const account = await world.account();
    const { id: key, value } = await world.ask(CreateMcpKey, { account });
    await until('it opens', () => admitted(value));
    expect(await world.outcome(RenameKey, { account, key, name: 'x' })).toEqual({ code: 'key_not_found' });
    expect(await world.outcome(RotateKey, { account, key })).toEqual({ code: 'key_not_found' });
    expect(await world.outcome(RevokeKey, { account, key })).toEqual({ code: 'key_not_found' });
    expect(admitted(value)).toBe(true);
  });

  it.each([CreateMcpKey, FindMcpKey, RotateMcpKey])('needs an existing account for $subject', async (contract) => {
    expect(await world.outcome(contract, { account: 999_999 })).toEqual({ code: 'account_not_found' });
    for (const account of [0, -1, 1.5, 2_147_483_648, '1', null, undefined, {}]) {
      await expect(world.ask(contract, { account } as never)).rejects.toMatchObject({ code: 'invalid_request', param: 'account' });
    }
  });

  it("leaves the account's deployment keys unchanged", async () => {
    const account = await world.account();
    const { value } = await world.ask(CreateKey, { account, name: 'dep' });
    await world.ask(CreateMcpKey, { account });
    await world.ask(RotateMcpKey, { account });
    await until('the deployment key opens', () => admitted(value));
  });
});
