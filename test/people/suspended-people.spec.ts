import {
  AcceptInvitation,
  CreateInvitation,
  CreateMcpKey,
  EndSessions,
  FindUser,
  KeepPlayground,
  ListAudit,
  ListKeys,
  ListMembers,
  OpenMcpKey,
  OpenPlayground,
  RefreshSession,
  ResetPassword,
  SetUserState,
  SignIn,
  type UserState,
} from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { FollowedProofs } from '@slipway/proof';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { as, OPS, PASSWORD, PeopleWorld } from './people-world.js';

let world: PeopleWorld;
beforeAll(async () => {
  world = await PeopleWorld.start();
});
afterAll(() => world?.end());

const origin = { address: '192.0.2.7', client: 'test browser' };
const state = (email: string, wanted: UserState): Promise<{ user: number; state: UserState; ended: number }> =>
  world.keys.ask(SetUserState, { email, state: wanted, actor: OPS });

/** Everything of a refusal that a caller can see. */
async function refusal(email: string, password: string): Promise<object> {
  const error: unknown = await world.console
    .call({ ...SignIn, timeoutMs: 20_000 }, { email, password, origin })
    .catch((reason: unknown) => reason);
  const { code, message, param, retryAfterS, facts } = error as Record<string, unknown>;
  return { code, message, param, retryAfterS, facts };
}

describe('a suspended person', () => {
  it('loses every session at once, at every service', async () => {
    const proofs = new FollowedProofs({
      nats: await world.keys.bus.connect('console'),
      env: ENV,
      log: createLogger('test', 'silent'),
    });
    proofs.start();
    const owner = await world.owner();
    const member = await world.member(owner, 'member');
    const second = await world.ask(SignIn, { email: member.email, password: PASSWORD, origin });
    const { account, user } = member;
    const playground = await world.proving(second.access_token).ask(OpenPlayground, { account, session: second.session, actor: as(user) });
    await until('the sessions are known', () => proofs.known);
    const tokens = [member.tokens.access_token, second.access_token];
    for (const token of tokens) expect(await proofs.reader.read(token)).toMatchObject({ user });
    expect(await state(member.email, 'suspended')).toEqual({ user, state: 'suspended', ended: 2 });
    for (const token of tokens) {
      expect(await world.proving(token).outcome(FindUser, { user })).toEqual({ code: 'session_ended' });
      await until('the token is refused elsewhere', () =>
        proofs.reader.read(token).then(
          () => null,
          (error: unknown) => (error as { code: string }).code === 'session_ended',
        ),
      );
    }
    for (const { refresh_token } of [member.tokens, second]) {
      expect(await world.code(RefreshSession, { refresh_token, origin })).toBe('session_ended');
    }
    expect(await world.code(KeepPlayground, { value: playground.value ?? '' })).toBe('session_ended');
    await proofs.stop();
  });

  it('gets the same answers as a wrong password', async () => {
    const [suspended, other] = [await world.owner(), await world.owner()];
    await state(suspended.email, 'suspended');
    const wrong = await refusal(other.email, 'not the password');
    expect(wrong).toMatchObject({ code: 'invalid_credentials' });
    expect(await refusal(suspended.email, PASSWORD)).toEqual(wrong);
    expect(await refusal(world.email(), PASSWORD)).toEqual(wrong);
    for (let n = 1; n < 10; n += 1) {
      expect(await refusal(suspended.email, PASSWORD)).toEqual(wrong);
      expect(await refusal(other.email, 'not the password')).toEqual(wrong);
    }
    const waiting = await refusal(other.email, 'not the password');
    expect(waiting).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(await refusal(suspended.email, PASSWORD)).toEqual(waiting);
    // Failures with the right password no longer count.
    await state(suspended.email, 'active');
    expect((await world.ask(SignIn, { email: suspended.email, password: PASSWORD, origin })).user).toBe(suspended.user);
  });

  it('cannot enter by invitation or new password', async () => {
    const [owner, elsewhere] = [await world.owner(), await world.owner()];
    const { email, user } = await world.member(owner, 'viewer');
    await state(email, 'suspended');
    const { token } = await world.ask(CreateInvitation, { account: elsewhere.account, email, role: 'member', actor: as(elsewhere.user) });
    const accept = (password: string): Promise<string | undefined> => world.code(AcceptInvitation, { token, password, origin });
    expect([await accept(PASSWORD), await accept('not the password')]).toEqual(['invalid_credentials', 'invalid_credentials']);
    const { password } = await world.keys.ask(ResetPassword, { user, actor: OPS });
    expect(await world.code(SignIn, { email, password, origin })).toBe('invalid_credentials');
    await state(email, 'active');
    expect(await accept(password)).toBeUndefined();
  });

  it('keeps no session from a concurrent sign-in', async () => {
    const { email, user } = await world.owner();
    for (let round = 0; round < 3; round += 1) {
      await state(email, 'active');
      const tries = Array.from({ length: 6 }, () => world.code(SignIn, { email, password: PASSWORD, origin }));
      await Promise.race(tries);
      await state(email, 'suspended');
      for (const code of await Promise.all(tries)) expect([undefined, 'invalid_credentials', 'unavailable']).toContain(code);
      expect(await world.keys.sql(`SELECT id FROM sessions.session WHERE user_id = $1 AND ended_at IS NULL`, [user])).toEqual([]);
    }
  });

  it("stays a member, and the account's keys stay valid", async () => {
    const owner = await world.owner();
    const { account } = owner;
    const mcp = await world.ask(CreateMcpKey, { account, actor: as(owner.user) });
    await state(owner.email, 'suspended');
    expect(await world.ask(OpenMcpKey, { value: mcp.value })).toMatchObject({ key: mcp.id, account });
    expect((await world.keys.outcome(ListKeys, { account })).code).toBeUndefined();
    expect((await world.keys.ask(ListMembers, { account, actor: OPS })).members).toMatchObject([
      { user: owner.user, role: 'owner', state: 'suspended' },
    ]);
  });
});

describe('a suspension', () => {
  it('is recorded once in each account of the person', async () => {
    const [one, other] = [await world.owner(), await world.owner()];
    const { email, user } = await world.member(one, 'member');
    const { token } = await world.ask(CreateInvitation, { account: other.account, email, role: 'viewer', actor: as(other.user) });
    await world.ask(AcceptInvitation, { token, password: PASSWORD, origin });
    for (const wanted of ['suspended', 'suspended', 'active', 'active'] as const) {
      expect(await state(email.toUpperCase(), wanted)).toMatchObject({ user, state: wanted });
    }
    for (const { account, user: reader } of [one, other]) {
      const { entries } = await world.ask(ListAudit, { account, actor: as(reader) });
      const recorded = entries.filter(({ action }) => action === 'user.suspend' || action === 'user.resume');
      expect(recorded.map(({ action, actor, object, object_name, facts }) => [action, actor, object, object_name, facts])).toEqual([
        ['user.resume', 'ops', `user:${user}`, email, { from: 'suspended', state: 'active', sessions_ended: 0 }],
        ['user.suspend', 'ops', `user:${user}`, email, { from: 'active', state: 'suspended', sessions_ended: 2 }],
      ]);
      const { members } = await world.ask(ListMembers, { account, actor: as(reader) });
      expect(members.every((member) => member.state === undefined)).toBe(true);
    }
  });

  it('of an unknown address is refused as such', async () => {
    expect((await world.keys.outcome(SetUserState, { email: world.email(), state: 'suspended', actor: OPS })).code).toBe('user_not_found');
  });

  it('leaves all other people unaffected', async () => {
    const [owner, other] = [await world.owner(), await world.owner()];
    await state(owner.email, 'suspended');
    expect(await world.proving(other.tokens.access_token).outcome(FindUser, { user: other.user })).toMatchObject({
      reply: { email: other.email },
    });
    expect(await world.code(EndSessions, { user: other.user, actor: as(other.user) })).toBeUndefined();
  });
});
