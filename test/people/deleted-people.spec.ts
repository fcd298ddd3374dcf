import {
  AcceptInvitation,
  type AccountId,
  ChangeRole,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  DeleteUser,
  FindInvitation,
  FindUser,
  ListAudit,
  ListKeys,
  ListMembers,
  OpenMcpKey,
  RefreshSession,
  type ServiceError,
  SetUserState,
  SignIn,
} from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { FollowedProofs } from '@slipway/proof';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import type { Outcome } from '../services/patient-rpc.js';
import { until } from '../testing/until.js';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
beforeAll(async () => {
  world = await PeopleWorld.start();
});
afterAll(() => world?.end());

const origin = { address: '198.51.100.23', client: 'a browser of one person alone' };
const remove = (email: string): Promise<Outcome<unknown>> => world.keys.outcome(DeleteUser, { email, actor: OPS });
const invite = async (owner: Resident, email: string): Promise<string> => {
  const { token } = await world.ask(CreateInvitation, { account: owner.account, email, role: 'member', actor: as(owner.user) });
  return token;
};
const membersOf = async (account: AccountId): Promise<number[]> =>
  (await world.keys.ask(ListMembers, { account, actor: OPS })).members.map(({ user }) => user);

/** Tables other than the audit log that have a text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await world.keys.sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'audit')`,
  );
  const looks = tables.map(({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name} t WHERE position($1 in t::text) > 0)`);
  const found = await world.keys.sql<{ name: string }>(looks.join(' UNION ALL '), [text]);
  return found.map(({ name }) => name).toSorted((one, other) => one.localeCompare(other));
}

describe('a deleted person', () => {
  it('is deleted everywhere but in the audit log', async () => {
    const owner = await world.owner();
    const { account } = owner;
    const { email, user } = await world.member(owner, 'member');
    await world.ask(SignIn, { email, password: PASSWORD, origin });
    await world.outcome(SignIn, { email, password: 'not the password', origin });
    const key = await world.ask(CreateKey, { account, name: 'of the account', actor: as(user) });
    const mcp = await world.ask(CreateMcpKey, { account, actor: as(user) });
    const waiting = await invite(await world.owner(), email);
    expect(await tablesWith(email)).toEqual(['keys.key', 'people.invitation', 'people.person']);
    expect(await remove(email.toUpperCase())).toEqual({ reply: { user, ended: expect.any(Number), accounts: 1 } });
    expect([await tablesWith(email), await tablesWith(origin.client)]).toEqual([[], []]);
    expect(await world.code(FindInvitation, { token: waiting })).toBe('invitation_not_found');
    expect(await membersOf(account)).toEqual([owner.user]);
    expect((await world.keys.ask(ListKeys, { account })).keys).toMatchObject([
      { id: key.id, state: 'active', created_by: { actor: 'user', name: null } },
    ]);
    expect(await world.ask(OpenMcpKey, { value: mcp.value })).toMatchObject({ key: mcp.id });
    const { entries } = await world.ask(ListAudit, { account, actor: as(owner.user) });
    const recorded = entries.filter(({ action }) => action === 'user.delete');
    expect(recorded).toMatchObject([{ actor: 'ops', object: `user:${user}`, object_name: null, facts: { role: 'member' } }]);
    expect(JSON.stringify(recorded)).not.toContain(email);
    expect(entries.find(({ action }) => action === 'key.create')).toMatchObject({ actor_id: user, actor_name: email });
  });

  it('has no session left and cannot sign in', async () => {
    const owner = await world.owner();
    const { email, user, tokens } = await world.member(owner, 'viewer');
    await remove(email);
    expect(await world.proving(tokens.access_token).outcome(FindUser, { user })).toEqual({ code: 'session_ended' });
    expect(await world.code(RefreshSession, { refresh_token: tokens.refresh_token, origin })).toBe('session_ended');
    const refusals = await Promise.all(
      [email, world.email()].map((address) =>
        world.console
          .call({ ...SignIn, timeoutMs: 20_000 }, { email: address, password: PASSWORD, origin })
          .catch((error: unknown) => [(error as ServiceError).code, (error as ServiceError).message]),
      ),
    );
    expect(refusals[0]).toEqual(refusals[1]);
    const later = new FollowedProofs({ nats: await world.keys.bus.connect('console'), env: ENV, log: createLogger('test', 'silent') });
    later.start();
    const code = await until('the console has the end of the session', async () => {
      const refusal: unknown = await later.reader.read(tokens.access_token).catch((error: unknown) => error);
      return (refusal as ServiceError).code !== 'auth_unavailable' && (refusal as ServiceError).code;
    });
    expect(code).toBe('session_ended');
    await later.stop();
  });

  it('is not found again, and frees the address', async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    const old = await world.member(owner, 'member');
    await world.keys.ask(SetUserState, { email: old.email, state: 'suspended', actor: OPS });
    expect((await remove(old.email)).code).toBeUndefined();
    expect((await remove(old.email)).code).toBe('user_not_found');
    const password = 'of a new person';
    const token = await invite(other, old.email);
    const tokens = await world.ask(AcceptInvitation, { token, password, origin });
    expect([tokens.user === old.user, tokens.account]).toEqual([false, other.account]);
    expect((await world.ask(FindUser, { user: tokens.user })).memberships).toHaveLength(1);
    expect(await world.code(SignIn, { email: old.email, password: PASSWORD, origin })).toBe('invalid_credentials');
  });

  it('keeps nothing from a concurrent sign-in or invitation', async () => {
    const owner = await world.owner();
    for (let round = 0; round < 3; round += 1) {
      const { email, user } = await world.member(owner, 'member');
      const token = await invite(await world.owner(), email);
      const tries = [
        ...Array.from({ length: 4 }, () => world.code(SignIn, { email, password: PASSWORD, origin })),
        world.code(AcceptInvitation, { token, password: PASSWORD, origin }),
      ];
      await Promise.race(tries);
      // The locks of the others may take longer than a statement waits for: then the service asks for another try.
      expect(await world.keys.ask(DeleteUser, { email, actor: OPS })).toMatchObject({ user });
      await Promise.all(tries);
      expect(await world.keys.sql(`SELECT id FROM sessions.session WHERE user_id = $1 AND ended_at IS NULL`, [user])).toEqual([]);
      expect(await world.keys.sql(`SELECT 1 FROM people.membership WHERE user_id = $1`, [user])).toEqual([]);
    }
  });
});

describe('the only owner of an account', () => {
  it('is not deleted, and the refusal names the accounts', async () => {
    const [owner, second] = [await world.owner(), await world.owner()];
    const heir = await world.member(owner, 'member');
    const token = await world.ask(CreateInvitation, {
      account: second.account,
      email: owner.email,
      role: 'owner',
      actor: as(second.user),
    });
    await world.ask(AcceptInvitation, { token: token.token, password: PASSWORD, origin });
    const waiting = await invite(second, world.email());
    const refusal: unknown = await world.keys.ops.call(DeleteUser, { email: owner.email, actor: OPS }).catch((error: unknown) => error);
    const { code, message } = refusal as { code: string; message: string };
    expect([code, message.includes(owner.tokens.slug), message.includes(second.tokens.slug)]).toEqual(['last_owner', true, false]);
    expect(await world.proving(owner.tokens.access_token).outcome(FindUser, { user: owner.user })).toMatchObject({
      reply: { email: owner.email },
    });
    expect(await world.code(FindInvitation, { token: waiting })).toBeUndefined();
    await world.keys.ask(ChangeRole, { account: owner.account, user: heir.user, role: 'owner', actor: OPS });
    expect((await remove(owner.email)).reply).toMatchObject({ user: owner.user, accounts: 2 });
    expect(await membersOf(owner.account)).toEqual([heir.user]);
  });

  it('remains when two are deleted concurrently', async () => {
    const first = await world.owner();
    const second = await world.member(first, 'owner');
    const codes = (await Promise.all([remove(first.email), remove(second.email)])).map(({ code }) => code);
    expect([codes.includes('last_owner'), codes.includes(undefined)]).toEqual([true, true]);
    expect(await membersOf(first.account)).toHaveLength(1);
  });
});
