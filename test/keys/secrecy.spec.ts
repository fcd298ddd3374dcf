import { CreateKey, CreateMcpKey, FindMcpKey, ListKeys, RenameKey, RevokeKey, RotateKey, RotateMcpKey } from '@slipway/contracts';
import { TcpGate } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { PEPPER } from './keys-service.js';
import { KeysWorld } from './keys-world.js';

describe('the value of a key', () => {
  let world: KeysWorld;
  let gate: TcpGate;
  /** Every key value that a reply has shown. */
  const values: string[] = [];
  const replies: unknown[] = [];

  /** Calls everything that concerns keys, with refusals and failures. */
  beforeAll(async () => {
    world = await KeysWorld.start();
    gate = await TcpGate.open(world.database);
    await world.replica({ KEYS_DATABASE_URL: gate.through(world.database), LOG_LEVEL: 'debug' });
    const account = await world.account();
    const made = await world.ask(CreateKey, { account, name: 'a key' });
    const address = { account, key: made.id };
    const mcp = await world.ask(CreateMcpKey, { account });
    const rotated = await world.ask(RotateKey, address);
    const rotatedMcp = await world.ask(RotateMcpKey, { account });
    values.push(made.value, mcp.value, rotated.value, rotatedMcp.value);
    // Values in wrong fields: they must be in no error either.
    await world.outcome(CreateKey, { account, name: made.value.repeat(3) });
    await world.outcome(RotateKey, { account, key: rotated.value as never });
    await world.outcome(CreateMcpKey, { account });
    replies.push(await world.ask(RenameKey, { ...address, name: 'renamed' }));
    replies.push(await world.ask(ListKeys, { account }), await world.ask(FindMcpKey, { account }));
    gate.refuse();
    for (const contract of [RotateKey, RevokeKey]) await world.outcome(contract, address);
    await world.outcome(CreateKey, { account, name: 'x' });
    gate.allow();
    await until('the service answers again', async () => (await world.outcome(ListKeys, { account })).reply);
    replies.push(await world.ask(RevokeKey, address));
  });
  afterAll(async () => {
    await world.end();
    await gate.end();
  });

  /** Encodings of the random part of a value. */
  const spellings = (value: string): string[] => {
    const secret = value.slice(12, -6);
    const bytes = Buffer.from(secret);
    return [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4), bytes.toString('base64url').slice(0, -4)];
  };
  const expectNone = (text: string): void => {
    expect(values.length).toBeGreaterThanOrEqual(4);
    for (const spelling of values.flatMap(spellings)) expect(text).not.toContain(spelling);
  };

  it('is different in every reply that has one', () => {
    expect(new Set(values).size).toBe(4);
  });

  it('is in no column of the database', async () => {
    const tables = await world.sql<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const dumps: string[] = [];
    for (const { name } of tables)
      dumps.push(...(await world.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)).map(({ row }) => row));
    const dump = dumps.join('\n');
    expect(dump).toContain('svc_mcp_');
    expectNone(dump);
  });

  it('is in no log line, nor is a pepper', async () => {
    const output = await world.lastWords();
    expect(output).toContain('"event":"lifecycle.ready"');
    expectNone(output);
    for (const encoding of ['hex', 'base64'] as const) expect(output).not.toContain(PEPPER.secret.toString(encoding).slice(0, 32));
  });

  it('is in no later reply about the key', () => {
    expectNone(JSON.stringify(replies));
  });
});
