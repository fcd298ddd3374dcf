import {
  AcceptInvitation,
  CreateAccount,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  CreateSetupLink,
  DeleteAccount,
  FindAccount,
  FindAccountQuotas,
  FindInvitation,
  FindUser,
  KeepPlayground,
  ListAccounts,
  ListAudit,
  ListKeys,
  ListMembers,
  OpenMcpKey,
  OpenPlayground,
  QueryUsage,
  RefreshSession,
  RotateKey,
  SetAccountLimits,
  SetAccountState,
  SignIn,
} from '@slipway/contracts';
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from '../people/people-world.js';
import { until } from '../testing/until.js';
import type { TestGateway } from './test-gateway.js';

const origin = { address: '192.0.2.7', client: 'test browser' };

describe('a deleted account', { timeout: 120_000 }, () => {
  let world: PeopleWorld;
  let gateway: TestGateway;
  beforeAll(async () => {
    world = await PeopleWorld.start();
    gateway = await world.keys.gateway('gw-1');
  });
  afterAll(() => world?.end());

  const remove = ({ tokens }: Resident): Promise<z.output<typeof DeleteAccount.reply>> =>
    world.keys.ask(DeleteAccount, { slug: tokens.slug, actor: OPS });

  it('loses all keys, sessions, memberships and invitations', async () => {
    const owner = await world.owner();
    const { account, tokens } = owner;
    const member = await world.member(owner, 'member');
    const other = await world.owner();
    const actor = as(owner.user);
    const keys = await Promise.all([1, 2, 3].map((n) => world.ask(CreateKey, { account, name: `key ${n}`, actor })));
    const mcp = await world.ask(CreateMcpKey, { account, actor });
    const left = await world.ask(CreateKey, { account: other.account, name: 'of another account', actor: as(other.user) });
    const playground = await world.ask(OpenPlayground, { account, session: tokens.session, actor });
    const { token } = await world.ask(CreateInvitation, { account, email: world.email(), role: 'viewer', actor });
    const values = [...keys.map(({ value }) => value), playground.value ?? ''];
    for (const value of [...values, left.value]) await until('the gateway knows the key', () => gateway.admits(value));
    const reply = await remove(owner);
    expect(reply).toMatchObject({ id: account, slug: tokens.slug, keys: 4, members: 2, invitations: 1, sessions: 2 });
    if (reply.propagated) expect(values.map((value) => gateway.admits(value))).toEqual(values.map(() => false));
    for (const value of values) await until('the gateway refuses the key', () => !gateway.admits(value));
    expect(gateway.admits(left.value)).toBe(true);
    expect(await world.code(OpenMcpKey, { value: mcp.value })).toBe('invalid_api_key');
    for (const person of [owner, member]) {
      const { access_token: access, refresh_token } = person.tokens;
      expect(await world.proving(access).outcome(FindUser, { user: person.user })).toEqual({ code: 'session_ended' });
      expect(await world.code(RefreshSession, { refresh_token, origin })).toBe('session_ended');
      expect(await world.code(SignIn, { email: person.email, password: PASSWORD, origin })).toBe('not_permitted');
    }
    expect(await world.code(KeepPlayground, { value: playground.value ?? '' })).toBe('session_ended');
    expect(await world.code(FindInvitation, { token })).toBe('invitation_not_found');
    expect(await world.keys.sql(`SELECT id FROM people.invitation WHERE account_id = $1`, [account])).toEqual([]);
  });

  it('leaves members of other accounts unaffected', async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const { token } = await world.ask(CreateInvitation, {
      account: owner.account,
      email: other.email,
      role: 'owner',
      actor: as(owner.user),
    });
    const before = other.tokens;
    await world.ask(AcceptInvitation, { token, password: PASSWORD, origin });
    await remove(owner);
    expect(await world.proving(before.access_token).outcome(FindUser, { user: other.user })).toMatchObject({
      reply: { memberships: [{ account: other.account }] },
    });
  });

  it('keeps its name taken and accepts no change', async () => {
    const owner = await world.owner();
    const { account, tokens } = owner;
    const { slug } = tokens;
    const key = await world.ask(CreateKey, { account, name: 'a key', actor: as(owner.user) });
    const { id } = await remove(owner);
    expect((await world.keys.outcome(CreateAccount, { slug })).code).toBe('slug_taken');
    const codes = [
      await world.keys.outcome(CreateKey, { account, name: 'a new key', actor: OPS }),
      await world.keys.outcome(CreateMcpKey, { account, actor: OPS }),
      await world.keys.outcome(CreateSetupLink, { account, actor: OPS }),
      await world.keys.outcome(CreateInvitation, { account, email: world.email(), role: 'owner', actor: OPS }),
      await world.keys.outcome(SetAccountState, { account, state: 'active', actor: OPS }),
      await world.keys.outcome(SetAccountLimits, { account, limits: {}, actor: OPS }),
      await world.keys.outcome(FindAccountQuotas, { account }),
      await world.keys.outcome(ListMembers, { account, actor: OPS }),
    ].map(({ code }) => code);
    expect(codes).toEqual(codes.map(() => 'account_not_found'));
    expect((await world.keys.outcome(RotateKey, { account, key: key.id, actor: OPS })).code).toBe('key_revoked');
    const { accounts } = await world.keys.ask(ListAccounts, {});
    expect(accounts.some((one) => one.id === id)).toBe(false);
  });

  it('keeps its usage, key names and audit log', async () => {
    const owner = await world.owner();
    const { account, tokens } = owner;
    const key = await world.ask(CreateKey, { account, name: 'named', actor: as(owner.user) });
    await world.keys.sql(
      `INSERT INTO usage.minute (account_id, minute, key_id, deployment_id, alias, api, status, requests, prompt, cached, completion)
       VALUES ($1, date_trunc('minute', now()), $2, 1, '', 'chat', 'completed', 3, 30, 0, 60)`,
      [account, key.id],
    );
    await remove(owner);
    expect(await world.keys.ask(FindAccount, { slug: tokens.slug })).toMatchObject({ id: account, deleted_at: expect.any(String) });
    expect((await world.keys.ask(ListKeys, { account })).keys).toMatchObject([{ id: key.id, name: 'named', state: 'revoked' }]);
    const [from, to] = [new Date(Date.now() - 3_600_000).toISOString(), new Date(Date.now() + 3_600_000).toISOString()];
    const { rows } = await world.keys.ask(QueryUsage, { account, from, to, step: 'total', group_by: ['key'] });
    expect(rows).toMatchObject([{ key: key.id, requests: 3, completion_tokens: 60 }]);
    const { entries } = await world.keys.ask(ListAudit, { account, actor: OPS });
    expect(entries[0]).toMatchObject({
      action: 'account.delete',
      actor: 'ops',
      object_name: tokens.slug,
      facts: { from: 'active', state: 'deleted', keys: 1, members: 1, invitations: 0, sessions: 1 },
    });
  });

  it('is deleted once by repeated and concurrent calls', async () => {
    const owner = await world.owner();
    const replies = await Promise.all([remove(owner), remove(owner), remove(owner)]);
    replies.push(await remove(owner));
    expect(replies.map(({ members }) => members).toSorted((one, other) => one - other)).toEqual([0, 0, 0, 1]);
    const { entries } = await world.keys.ask(ListAudit, { account: owner.account, actor: OPS });
    expect(entries.filter(({ action }) => action === 'account.delete')).toHaveLength(1);
    expect((await world.keys.outcome(DeleteAccount, { slug: 'never-was', actor: OPS })).code).toBe('account_not_found');
  });

  it('gets no key from a concurrent creation', async () => {
    const owner = await world.owner();
    const { account } = owner;
    const makes = Array.from({ length: 12 }, (_, n) => world.keys.outcome(CreateKey, { account, name: `key ${n}`, actor: OPS }));
    makes.push(world.keys.outcome(CreateMcpKey, { account, actor: OPS }) as (typeof makes)[number]);
    await Promise.race(makes);
    await remove(owner);
    const codes = (await Promise.all(makes)).map(({ code }) => code);
    for (const code of codes) expect([undefined, 'account_not_found']).toContain(code);
    expect(await world.keys.sql(`SELECT id FROM keys.key WHERE account_id = $1 AND state = 'active'`, [account])).toEqual([]);
  });

  it('is deleted by a second run after a crash', async () => {
    const owner = await world.owner();
    const { account } = owner;
    const key = await world.ask(CreateKey, { account, name: 'the one with a value', actor: as(owner.user) });
    await world.keys.sql(
      `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint)
       SELECT $1::integer, 'dep', 'key ' || n, sha256(('of ' || $1::integer || ' number ' || n)::bytea), 'p', 'svc_dep_abcd' FROM generate_series(1, 450) n`,
      [account],
    );
    const interrupted = world.keys.outcome(DeleteAccount, { slug: owner.tokens.slug, actor: OPS }).catch(() => null);
    const active = (): Promise<unknown[]> =>
      world.keys.sql(`SELECT id FROM keys.key WHERE account_id = $1 AND state = 'active'`, [account]);
    await until('the first keys are revoked', async () => (await active()).length < 451);
    await world.keys.stopReplicas();
    await interrupted;
    const [left] = await world.keys.sql<{ state: string }>(`SELECT state FROM accounts.account WHERE id = $1`, [account]);
    expect(left?.state).toBe('suspended');
    await world.keys.replica();
    await remove(owner);
    expect(await active()).toEqual([]);
    expect((await world.keys.ask(FindAccount, { slug: owner.tokens.slug })).deleted_at).toBeDefined();
    await until('the gateway refuses the key', () => !gateway.admits(key.value));
  });
});
