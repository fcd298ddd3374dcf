import {
  type AccountState,
  ChangeRole,
  CreateKey,
  EndSessions,
  ListAudit,
  ListKeys,
  ListMembers,
  RefreshSession,
  SetAccountState,
  SignIn,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
beforeAll(async () => {
  world = await PeopleWorld.start();
});
afterAll(() => world?.end());

const origin = { address: '192.0.2.7' };
const set = ({ account }: Resident, state: AccountState): Promise<unknown> =>
  world.keys.ask(SetAccountState, { account, state, actor: OPS });

describe('members of a suspended account', () => {
  it('can read and not change until it resumes', async () => {
    const owner = await world.owner();
    const member = await world.member(owner, 'member');
    const { account, user } = owner;
    const before = world.proofOf(user);
    await set(owner, 'suspended');
    const change = { account, name: 'a key', actor: as(user) };
    expect((await world.proving(before).outcome(CreateKey, change)).code).toBe('session_ended');
    expect(await world.code(CreateKey, change)).toBe('account_suspended');
    expect(await world.code(CreateKey, { ...change, actor: as(member.user) })).toBe('account_suspended');
    expect(await world.code(ChangeRole, { account, user: member.user, role: 'owner', actor: as(user) })).toBe('account_suspended');
    for (const look of [ListKeys, ListMembers, ListAudit]) expect(await world.code(look, { account, actor: as(user) })).toBeUndefined();
    expect(await world.code(EndSessions, { user: member.user, actor: as(member.user) })).toBeUndefined();
    await set(owner, 'active');
    expect(await world.code(CreateKey, change)).toBeUndefined();
  });

  it('keep working in their other accounts', async () => {
    const [here, there] = [await world.owner(), await world.owner()];
    await world.keys.sql(`INSERT INTO people.membership (account_id, user_id, role) VALUES ($1, $2, 'member')`, [there.account, here.user]);
    await set(here, 'suspended');
    const [named] = await world.keys.sql<{ slug: string }>(`SELECT slug FROM accounts.account WHERE id = $1`, [there.account]);
    const moved = await world.ask(RefreshSession, { refresh_token: here.tokens.refresh_token, account: named!.slug, origin });
    const change = { account: there.account, name: 'a key', actor: as(here.user) };
    expect((await world.proving(moved.access_token).outcome(CreateKey, change)).code).toBeUndefined();
  });

  it('get read-only tokens when they sign in', async () => {
    const owner = await world.owner();
    const { account, email, user } = owner;
    const signIn = async (): Promise<string> => (await world.ask(SignIn, { email, password: PASSWORD, origin })).access_token;
    const [tokens] = await Promise.all([Promise.all(Array.from({ length: 8 }, signIn)), set(owner, 'suspended')]);
    const codes = new Set<string | undefined>();
    for (const token of tokens) {
      codes.add((await world.proving(token).outcome(CreateKey, { account, name: 'a key', actor: as(user) })).code);
    }
    expect([...codes].filter((code) => code !== 'session_ended' && code !== 'account_suspended')).toEqual([]);
  });
});
