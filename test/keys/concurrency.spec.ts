import { CreateKey, CreateMcpKey, ListKeys, RenameKey, RevokeKey, RotateKey, RotateMcpKey } from '@slipway/contracts';
import { macOf } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { PEPPER } from './keys-service.js';
import { KeysWorld } from './keys-world.js';
import type { TestGateway } from './test-gateway.js';

interface KeyRow {
  readonly ver: number;
  readonly state: string;
  readonly mac: Buffer;
}

describe('concurrent changes of a key in two replicas', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let gateways: TestGateway[];

  beforeAll(async () => {
    world = await KeysWorld.start();
    await Promise.all([world.replica(), world.replica()]);
    gateways = [await world.gateway('gw-1'), await world.gateway('gw-2')];
  });
  afterAll(() => world?.end());

  const rowOf = async (id: number): Promise<KeyRow> => {
    const [row] = await world.sql<KeyRow>(`SELECT ver, state, mac FROM keys.key WHERE id = $1`, [id]);
    return row ?? expect.unreachable('The key is gone.');
  };
  const isStored = (value: string, { mac }: KeyRow): boolean => macOf(value, PEPPER).equals(mac);
  /** Waits until each gateway has the current row. @returns the values that it accepts */
  const admittedEverywhere = async (id: number, values: readonly string[]): Promise<string[][]> => {
    const row = await rowOf(id);
    const mac = row.mac.toString('base64url');
    for (const gateway of gateways) {
      await until(`${gateway.name} knows the row`, () => gateway.key(id)?.mac === mac && gateway.key(id)?.state === row.state);
    }
    return gateways.map((gateway) => values.filter((value) => gateway.admits(value)));
  };

  it('leave only the last of twenty rotated values valid', async () => {
    const account = await world.account();
    const { id: key, value: first } = await world.ask(CreateKey, { account, name: 'contended' });
    const replies = await Promise.all(Array.from({ length: 20 }, () => world.ask(RotateKey, { account, key })));
    const values = [first, ...replies.map(({ value }) => value)];
    expect(new Set(values).size).toBe(21);
    const row = await rowOf(key);
    // A rotation without a reply counts too: the database may have committed it.
    expect(row.ver).toBeGreaterThanOrEqual(21);
    const stored = values.filter((value) => isStored(value, row));
    expect(stored).toHaveLength(1);
    expect(stored).not.toContain(first);
    expect(await admittedEverywhere(key, values)).toEqual([stored, stored]);
  });

  it('leave one valid value after twenty MCP rotations', async () => {
    const account = await world.account();
    const { id, value: first } = await world.ask(CreateMcpKey, { account });
    const replies = await Promise.all(Array.from({ length: 20 }, () => world.ask(RotateMcpKey, { account })));
    const values = [first, ...replies.map(({ value }) => value)];
    const row = await rowOf(id);
    const stored = values.filter((value) => isStored(value, row));
    expect(stored).toHaveLength(1);
    expect(row.ver).toBeGreaterThanOrEqual(21);
    expect(await admittedEverywhere(id, values)).toEqual([stored, stored]);
  });

  it('leave a revoked key revoked despite other changes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const account = await world.account();
      const { id: key, value: first } = await world.ask(CreateKey, { account, name: 'doomed' });
      const address = { account, key };
      const rotating = Array.from({ length: 6 }, () => world.outcome(RotateKey, address));
      const others = [world.ask(RevokeKey, address), world.ask(RenameKey, { ...address, name: 'renamed' }), world.ask(RevokeKey, address)];
      const rotations = await Promise.all(rotating);
      await Promise.all(others);
      expect(rotations.filter(({ code }) => code !== undefined && code !== 'key_revoked' && code !== 'unavailable')).toEqual([]);
      expect((await rowOf(key)).state).toBe('revoked');
      expect((await world.ask(ListKeys, { account })).keys).toMatchObject([{ id: key, name: 'renamed', state: 'revoked' }]);
      const values = [first, ...rotations.flatMap(({ reply }) => (reply ? [reply.value] : []))];
      expect(await admittedEverywhere(key, values)).toEqual([[], []]);
    }
  });

  it('of different keys do not wait for each other', async () => {
    const account = await world.account();
    const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const made = await Promise.all(names.map((name) => world.ask(CreateKey, { account, name })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
    const rotated = await Promise.all(made.map(({ id: key }) => world.ask(RotateKey, { account, key })));
    await Promise.all(made.map(({ id: key }) => world.ask(RevokeKey, { account, key })));
    const { keys } = await world.ask(ListKeys, { account });
    expect(keys.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(keys.every(({ state }) => state === 'revoked')).toBe(true);
    expect(new Set(rotated.map(({ value }) => value)).size).toBe(20);
  });
});
