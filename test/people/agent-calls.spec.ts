import {
  CreateKey,
  CreateMcpKey,
  ListMcpCalls,
  MCP_CALLS_KEPT,
  type McpCall,
  OpenMcpKey,
  RecordMcpCalls,
  RotateMcpKey,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, PeopleWorld, type Resident } from './people-world.js';

const START = Date.parse('2026-11-25T10:00:00Z');
const aCall = (second: number, fields: Partial<McpCall> = {}): McpCall => ({
  ...{
    at: new Date(START + second * 1_000).toISOString(),
    tool: 'list_models',
    access: 'read',
    outcome: 'ok',
    ms: second,
    client: 'agent/1',
  },
  ...fields,
});

describe('the last calls of an MCP key', () => {
  let world: PeopleWorld;
  let owner: Resident;
  beforeAll(async () => {
    world = await PeopleWorld.start();
    owner = await world.owner();
  });
  afterAll(() => world?.end());

  const newKey = async ({ account, user }: Resident) => {
    const { id, value } = await world.ask(CreateMcpKey, { account, actor: as(user) });
    const { proof = '' } = await world.ask(OpenMcpKey, { value, scope: 'read' });
    return { key: id, proof };
  };
  const callsOf = async ({ account, user }: Resident) => (await world.proving(world.proofOf(user)).ask(ListMcpCalls, { account })).calls;

  it('are listed newest first, and survive a rotation', async () => {
    const { account } = owner;
    const { key, proof } = await newKey(owner);
    const failed = aCall(3, { tool: 'stop_deployment', access: 'write', outcome: 'deployment_not_found', client: null });
    await world.proving(proof).ask(RecordMcpCalls, { account, key, calls: [aCall(1), failed] });
    await world.proving(proof).ask(RecordMcpCalls, { account, key, calls: [aCall(2)] });
    expect(await callsOf(owner)).toEqual([failed, aCall(2), aCall(1)]);
    await world.ask(RotateMcpKey, { account, actor: as(owner.user) });
    expect(await callsOf(owner)).toHaveLength(3);
    const viewer = await world.member(owner, 'viewer');
    expect(await callsOf(viewer)).toHaveLength(3);
  });

  it('are the newest 200', async () => {
    const other = await world.owner();
    const { key, proof } = await newKey(other);
    const batch = (from: number): McpCall[] => Array.from({ length: 100 }, (_, i) => aCall(from + i));
    for (const from of [200, 0, 100]) {
      await world.proving(proof).ask(RecordMcpCalls, { account: other.account, key, calls: batch(from) });
    }
    const kept = await callsOf(other);
    expect(kept).toHaveLength(MCP_CALLS_KEPT);
    expect([kept[0]?.ms, kept.at(-1)?.ms]).toEqual([299, 100]);
    const [{ n } = { n: '' }] = await world.keys.sql<{ n: string }>(`SELECT count(*) AS n FROM keys.mcp_call WHERE key_id = $1`, [key]);
    expect(Number(n)).toBe(MCP_CALLS_KEPT);
  });

  it('are those of the proven key alone', async () => {
    const other = await world.owner();
    const { key, proof } = await newKey(other);
    const calls = [aCall(1)];
    const dep = await world.ask(CreateKey, { account: other.account, name: 'dep', actor: as(other.user) });
    for (const foreign of [
      { account: owner.account, key },
      { account: other.account, key: dep.id },
    ]) {
      expect((await world.proving(proof).outcome(RecordMcpCalls, { ...foreign, calls })).code).toBe('not_permitted');
    }
    const { proof: stranger = '' } = await world.ask(OpenMcpKey, {
      value: (await world.ask(CreateMcpKey, { account: (await world.owner()).account })).value,
    });
    expect((await world.proving(stranger).outcome(ListMcpCalls, { account: other.account })).code).toBe('not_permitted');
    expect(await callsOf(other)).toEqual([]);
  });
});
