import {
  ChangeRole,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  ListAudit,
  ListKeys,
  OpenMcpKey,
  RemoveMember,
  RenameKey,
  RevokeKey,
  RotateKey,
  RotateMcpKey,
} from '@slipway/contracts';
import { createAuditTable } from '@slipway/database';
import { startOwnPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, OPS, PeopleWorld } from './people-world.js';

describe('the audit log of an account', () => {
  let world: PeopleWorld;
  beforeAll(async () => {
    world = await PeopleWorld.start();
  });
  afterAll(() => world?.end());

  it('states each action, newest first, without any secret', async () => {
    const owner = await world.owner();
    const { account } = owner;
    const member = await world.member(owner, 'member');
    const actor = as(owner.user);
    const key = await world.ask(CreateKey, { account, name: 'CI', actor: as(member.user) });
    await world.ask(RenameKey, { account, key: key.id, name: 'CI of the shop', actor });
    const rotated = await world.ask(RotateKey, { account, key: key.id, actor });
    const mcp = await world.ask(CreateMcpKey, { account, actor });
    const { proof = '' } = await world.ask(OpenMcpKey, { value: mcp.value });
    await world.proving(proof).ask(RevokeKey, { account, key: key.id, actor: { kind: 'key', key: mcp.id } });
    await world.ask(RotateMcpKey, { account, actor });
    await world.ask(ChangeRole, { account, user: member.user, role: 'viewer', actor });
    await world.ask(RemoveMember, { account, user: member.user, actor });
    const { entries, next } = await world.ask(ListAudit, { account, actor });
    expect(next).toBeNull();
    expect(entries.map(({ action, object }) => [action, object])).toEqual([
      ['member.remove', `user:${member.user}`],
      ['member.role', `user:${member.user}`],
      ['mcp_key.rotate', `key:${mcp.id}`],
      ['key.revoke', `key:${key.id}`],
      ['mcp_key.create', `key:${mcp.id}`],
      ['key.rotate', `key:${key.id}`],
      ['key.rename', `key:${key.id}`],
      ['key.create', `key:${key.id}`],
      ['session.sign_in', `user:${member.user}`],
      ['member.join', `user:${member.user}`],
      ['member.invite', expect.stringMatching(/^invitation:\d+$/)],
      ['session.sign_in', `user:${owner.user}`],
      ['member.join', `user:${owner.user}`],
      ['account.set_up_link', expect.stringMatching(/^invitation:\d+$/)],
      ['account.create', `account:${account}`],
    ]);
    expect(entries.find(({ action }) => action === 'key.create')).toMatchObject({
      actor: 'user',
      actor_id: member.user,
      actor_name: member.email,
      object_name: 'CI',
      address: '192.0.2.7',
      client: 'test browser',
      facts: { expires_at: null },
    });
    expect(entries.find(({ action }) => action === 'member.role')?.facts).toEqual({ from: 'member', role: 'viewer' });
    expect(entries.find(({ action }) => action === 'key.rename')?.facts).toEqual({ name: 'CI → CI of the shop' });
    expect(entries.find(({ action }) => action === 'key.revoke')).toMatchObject({ actor: 'key', actor_id: mcp.id });
    for (const secret of [key.value, rotated.value, mcp.value]) expect(JSON.stringify(entries)).not.toContain(secret.slice(12, 40));
  });

  it("agrees with lists on a key's creator", async () => {
    const owner = await world.owner();
    const { account } = owner;
    const member = await world.member(owner, 'member');
    const made = await world.ask(CreateKey, { account, name: 'by a person', actor: as(member.user) });
    await world.ask(CreateKey, { account, name: 'by an operator', actor: OPS });
    await world.ask(CreateKey, { account, name: 'by a proven person' });
    await world.ask(RotateKey, { account, key: made.id, actor: as(owner.user) });
    await world.ask(RemoveMember, { account, user: member.user, actor: as(owner.user) });
    const { keys } = await world.ask(ListKeys, { account });
    expect(keys.map(({ name, created_by: by }) => [name, by])).toEqual([
      ['by a proven person', { actor: 'user', name: owner.email, person: owner.email }],
      ['by an operator', { actor: 'ops', name: null }],
      ['by a person', { actor: 'user', name: member.email, person: member.email }],
    ]);
  });

  it('is written with its change, and read in pages', async () => {
    const owner = await world.owner();
    const { account } = owner;
    const actor = as(owner.user);
    const count = async (): Promise<number> =>
      Number((await world.keys.sql<{ n: string }>(`SELECT count(*) AS n FROM audit.entry WHERE account_id = $1`, [account]))[0]?.n);
    const before = await count();
    expect(await world.code(RevokeKey, { account, key: 999_999, actor })).toBe('key_not_found');
    expect(await world.code(CreateInvitation, { account, email: owner.email, role: 'viewer', actor })).toBe('already_member');
    expect(await count()).toBe(before);
    await world.keys.sql(
      `INSERT INTO audit.entry (account_id, action, actor, object) SELECT $1, 'test.entry', 'ops', 'test:' || n FROM generate_series(1, 450) n`,
      [account],
    );
    const seen: number[] = [];
    let next: number | null | undefined;
    do {
      const page = await world.ask(ListAudit, { account, actor, ...(typeof next === 'number' && { before: next }) });
      seen.push(...page.entries.map(({ id }) => id));
      ({ next } = page);
    } while (next !== null);
    expect(seen).toHaveLength(before + 450);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  });

  it('cannot be changed, not even by a superuser', async () => {
    for (const statement of [`UPDATE audit.entry SET action = 'x'`, `DELETE FROM audit.entry`, `TRUNCATE audit.entry`]) {
      await expect(world.keys.sql(statement)).rejects.toThrow('append-only');
    }
  });
});

describe('the role that owns the audit log', () => {
  let postgres: TestPostgres;
  let service: Client;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    const superuser = new Client({ connectionString: postgres.url });
    await superuser.connect();
    await superuser.query(`CREATE ROLE service LOGIN PASSWORD 'service'`);
    await superuser.query(`CREATE DATABASE service OWNER service`);
    await superuser.end();
    const url = new URL(postgres.url);
    [url.username, url.password, url.pathname] = ['service', 'service', '/service'];
    service = new Client({ connectionString: url.href });
    await service.connect();
    for (const statement of createAuditTable()) await service.query(statement);
  });
  afterAll(async () => {
    await service.end();
    await postgres.stop();
  });

  it('can insert and read, never change or delete', async () => {
    await service.query(`INSERT INTO audit.entry (action, actor, object) VALUES ('key.create', 'ops', 'key:1')`);
    const changes = [`UPDATE audit.entry SET action = 'x'`, `DELETE FROM audit.entry`, `TRUNCATE audit.entry`];
    for (const statement of changes) await expect(service.query(statement)).rejects.toThrow(/permission denied/);
    await service.query(`GRANT ALL ON audit.entry TO service`);
    for (const statement of changes) await expect(service.query(statement)).rejects.toThrow('append-only');
    expect((await service.query(`SELECT action FROM audit.entry`)).rows).toEqual([{ action: 'key.create' }]);
  });
});
