import { createHash } from 'node:crypto';
import {
  AcceptInvitation,
  ChangeRole,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  CreateSetupLink,
  EndSessions,
  FindInvitation,
  FindSetup,
  FindUser,
  ListAudit,
  ListInvitations,
  ListMembers,
  RemoveMember,
  RenewInvitation,
  RenameKey,
  RevokeInvitation,
  RevokeKey,
  RotateKey,
  SetAccountQuotas,
  SignIn,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
beforeAll(async () => {
  world = await PeopleWorld.start();
});
afterAll(() => world?.end());

const NEVER_MADE = 'A'.repeat(43);
const origin = {};

it('shows before sign-in only whether anyone can', async () => {
  expect(await world.ask(FindSetup, {})).toEqual({ has_people: false });
  await world.owner();
  expect(await world.ask(FindSetup, {})).toEqual({ has_people: true });
});

describe('a set-up link', () => {
  it('makes the first owner, and works once', async () => {
    const account = await world.keys.account();
    const { token } = await world.keys.ask(CreateSetupLink, { account, actor: OPS });
    expect(await world.ask(FindInvitation, { token })).toMatchObject({ role: 'owner', email: null, known: false });
    const accept = (): Promise<string | undefined> =>
      world.code(AcceptInvitation, { token, email: world.email(), password: PASSWORD, origin });
    const weak = world.ask(AcceptInvitation, { token, email: world.email(), password: 'password12', origin });
    await expect(weak).rejects.toMatchObject({ code: 'invalid_request', param: 'password', message: expect.stringContaining('common') });
    const codes = await Promise.all(Array.from({ length: 5 }, accept));
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === 'invitation_not_found')).toHaveLength(4);
    expect((await world.ask(ListMembers, { account, actor: OPS })).members).toMatchObject([{ role: 'owner' }]);
    expect(await accept()).toBe('invitation_not_found');
    expect((await world.keys.outcome(CreateSetupLink, { account, actor: OPS })).code).toBe('account_has_owner');
  });

  it('is void once another one is created', async () => {
    const account = await world.keys.account();
    const [first, second] = [
      await world.keys.ask(CreateSetupLink, { account, actor: OPS }),
      await world.keys.ask(CreateSetupLink, { account, actor: OPS }),
    ];
    expect(await world.code(FindInvitation, { token: first.token })).toBe('invitation_not_found');
    expect(await world.code(FindInvitation, { token: second.token })).toBeUndefined();
  });
});

describe('an invitation', () => {
  let owner: Resident;
  beforeAll(async () => {
    owner = await world.owner();
  });
  const invite = (email: string): Promise<{ id: number; token: string }> =>
    world.ask(CreateInvitation, { account: owner.account, email, role: 'member', actor: as(owner.user) });

  it('works once, for the invited address only', async () => {
    const email = world.email();
    const { token } = await invite(email);
    expect(await world.code(AcceptInvitation, { token, password: 'short', origin })).toBe('invalid_request');
    const tokens = await world.ask(AcceptInvitation, { token, email: 'mallory@example.com', password: PASSWORD, origin });
    expect(await world.ask(FindUser, { user: tokens.user })).toMatchObject({ email, memberships: [{ role: 'member' }] });
    expect(await world.code(AcceptInvitation, { token, password: PASSWORD, origin })).toBe('invitation_not_found');
    expect(await world.code(CreateInvitation, { account: owner.account, email, role: 'viewer', actor: as(owner.user) })).toBe(
      'already_member',
    );
  });

  it('of a known person needs their own password', async () => {
    const other = await world.owner();
    const { token } = await invite(other.email);
    expect(await world.ask(FindInvitation, { token })).toMatchObject({ known: false, email: other.email });
    expect(await world.code(AcceptInvitation, { token, password: 'not their password', origin })).toBe('invalid_credentials');
    const tokens = await world.ask(AcceptInvitation, { token, password: PASSWORD, origin });
    expect([tokens.user, tokens.account]).toEqual([other.user, owner.account]);
    expect((await world.ask(FindUser, { user: other.user })).memberships.map(({ role }) => role).toSorted()).toEqual(['member', 'owner']);
  });

  it('does not reveal whether the address is known', async () => {
    const inviter = await world.owner();
    const [known, unknown] = [(await world.owner()).email, world.email()];
    const invited = (email: string): Promise<{ token: string }> =>
      world.ask(CreateInvitation, { account: inviter.account, email, role: 'member', actor: as(inviter.user) });
    const links = [await invited(known), await invited(unknown)];
    const outcomes = (password: string): Promise<unknown[]> =>
      Promise.all(links.map(({ token }) => world.outcome(AcceptInvitation, { token, password, origin })));
    expect(await outcomes('x')).toEqual([{ code: 'invalid_request' }, { code: 'invalid_request' }]);
    await world.keys.ask(SetAccountQuotas, { account: inviter.account, quotas: { members: 1 }, actor: OPS });
    expect(await outcomes('password12')).toEqual([{ code: 'invalid_request' }, { code: 'invalid_request' }]);
    for (let tried = 0; tried < 9; tried += 1) {
      expect(await outcomes('not their password')).toEqual([{ code: 'quota_exceeded' }, { code: 'quota_exceeded' }]);
    }
    expect(await outcomes('not their password')).toEqual([{ code: 'rate_limit_exceeded' }, { code: 'rate_limit_exceeded' }]);
  });

  it('is refused at a full account, members excepted', async () => {
    const inviter = await world.owner();
    const { account, user, email } = inviter;
    const { token } = await world.keys.ask(CreateSetupLink, { account: await world.keys.account(), actor: OPS });
    await world.keys.sql(
      `UPDATE people.invitation SET account_id = $1, email = $2, role = 'viewer' WHERE closed_at IS NULL AND token_hash = $3`,
      [account, email, createHash('sha256').update(token).digest()],
    );
    await world.keys.ask(SetAccountQuotas, { account, quotas: { members: 1 }, actor: OPS });
    expect(await world.code(AcceptInvitation, { token, password: PASSWORD, origin })).toBeUndefined();
    expect((await world.ask(FindUser, { user })).memberships).toMatchObject([{ account, role: 'owner' }]);
  });

  it('is refused alike when revoked, replaced, expired or invented', async () => {
    const revoked = await invite(world.email());
    await world.ask(RevokeInvitation, { account: owner.account, invitation: revoked.id, actor: as(owner.user) });
    const email = world.email();
    const replaced = await invite(email);
    const latest = await invite(email);
    const expired = await invite(world.email());
    await world.keys.sql(`UPDATE people.invitation SET expires_at = now() - interval '1 second' WHERE id = $1`, [expired.id]);
    for (const token of [revoked.token, replaced.token, expired.token, NEVER_MADE]) {
      expect(await world.outcome(FindInvitation, { token })).toEqual({ code: 'invitation_not_found' });
      expect(await world.outcome(AcceptInvitation, { token, password: PASSWORD, origin })).toEqual({ code: 'invitation_not_found' });
    }
    const { invitations } = await world.ask(ListInvitations, { account: owner.account, actor: as(owner.user) });
    expect(invitations.map(({ id }) => id)).toEqual([latest.id]);
  });

  it('gets a new link that voids the old one', async () => {
    const { account, user } = owner;
    const email = world.email();
    const first = await invite(email);
    await world.keys.ask(SetAccountQuotas, { account, quotas: { invitations: 1 }, actor: OPS });
    await world.keys.sql(`UPDATE people.invitation SET expires_at = now() + interval '1 minute' WHERE id = $1`, [first.id]);
    const second = await world.ask(RenewInvitation, { account, invitation: first.id, actor: as(user) });
    expect(second.id).toBe(first.id);
    expect(Date.parse(second.expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    expect(await world.code(FindInvitation, { token: first.token })).toBe('invitation_not_found');
    expect(await world.ask(FindInvitation, { token: second.token })).toMatchObject({ email });
    const { entries } = await world.ask(ListAudit, { account, object: `invitation:${first.id}`, actor: as(user) });
    expect(entries.map(({ action }) => action)).toEqual(['invitation.renew', 'member.invite']);
    expect(JSON.stringify(entries)).not.toContain(second.token);
    await world.ask(AcceptInvitation, { token: second.token, password: PASSWORD, origin });
    const foreign = await world.owner();
    for (const by of [
      { account, actor: as(user) },
      { account: foreign.account, actor: as(foreign.user) },
    ]) {
      expect(await world.code(RenewInvitation, { ...by, invitation: first.id })).toBe('invitation_not_found');
    }
    await world.keys.ask(SetAccountQuotas, { account, quotas: { invitations: null }, actor: OPS });
  });

  it('is in the database without its secret', async () => {
    const { token } = await invite(world.email());
    const rows = await world.keys.sql<{ row: string }>(`SELECT i::text AS row FROM people.invitation i`);
    for (const { row } of rows) {
      expect(row).not.toContain(token);
      expect(row).not.toContain(Buffer.from(token).toString('hex'));
    }
  });
});

describe('roles', () => {
  let owner: Resident;
  let member: Resident;
  let viewer: Resident;
  beforeAll(async () => {
    owner = await world.owner();
    member = await world.member(owner, 'member');
    viewer = await world.member(owner, 'viewer');
  });

  it('decide what a person may read, change and manage', async () => {
    const { account } = owner;
    const codes = async ({ user }: Resident): Promise<(string | undefined)[]> => [
      await world.code(ListMembers, { account, actor: as(user) }),
      await world.code(CreateKey, { account, name: 'a key', actor: as(user) }),
      await world.code(CreateInvitation, { account, email: world.email(), role: 'viewer', actor: as(user) }),
      await world.code(ListAudit, { account, actor: as(user) }),
    ];
    const no = 'not_permitted';
    expect(await codes(viewer)).toEqual([undefined, no, no, no]);
    expect(await codes(member)).toEqual([undefined, undefined, no, no]);
    expect(await codes(owner)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('change at once, and leave one owner at least', async () => {
    const { account, user } = owner;
    expect(await world.code(ChangeRole, { account, user, role: 'member', actor: as(user) })).toBe('last_owner');
    expect(await world.code(RemoveMember, { account, user, actor: OPS })).toBe('last_owner');
    await world.ask(ChangeRole, { account, user: member.user, role: 'owner', actor: as(user) });
    expect(await world.code(ListAudit, { account, actor: as(member.user) })).toBeUndefined();
    await world.ask(ChangeRole, { account, user: member.user, role: 'member', actor: as(user) });
    expect(await world.code(ListAudit, { account, actor: as(member.user) })).toBe('not_permitted');
  });

  it('keep one of two owners removing each other', async () => {
    const first = await world.owner();
    const second = await world.member(first, 'owner');
    const { account } = first;
    const codes = await Promise.all([
      world.code(RemoveMember, { account, user: second.user, actor: as(first.user) }),
      world.code(RemoveMember, { account, user: first.user, actor: as(second.user) }),
    ]);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect((await world.ask(ListMembers, { account, actor: OPS })).members).toHaveLength(1);
  });
});

it('members are listed with the time of their last refresh', async () => {
  const { account, user } = await world.owner();
  const listed = async () => (await world.ask(ListMembers, { account, actor: as(user) })).members[0];
  await world.keys.sql(`UPDATE sessions.session SET rotated_at = '2026-01-01T10:00:00Z' WHERE user_id = $1`, [user]);
  expect(await listed()).toMatchObject({ last_active_at: '2026-01-01T10:00:00.000Z' });
  await world.keys.sql(`DELETE FROM sessions.session WHERE user_id = $1`, [user]);
  expect((await world.ask(ListMembers, { account, actor: OPS })).members[0]).toMatchObject({
    last_active_at: null,
    last_sign_in_at: expect.any(String),
  });
});

describe('two accounts', () => {
  it("refuse each other's numbers like unknown numbers", async () => {
    const [mine, theirs] = [await world.owner(), await world.owner()];
    const member = await world.member(theirs, 'member');
    const key = await world.ask(CreateKey, { account: theirs.account, name: 'theirs', actor: as(theirs.user) });
    const invitation = await world.ask(CreateInvitation, {
      account: theirs.account,
      email: world.email(),
      role: 'viewer',
      actor: as(theirs.user),
    });
    const actor = as(mine.user);
    const [foreign, own] = [theirs.account, mine.account];
    const inTheirs = { account: foreign, actor };
    const refusals: (string | undefined)[] = [
      await world.code(ListMembers, inTheirs),
      await world.code(ListInvitations, inTheirs),
      await world.code(ListAudit, inTheirs),
      await world.code(CreateInvitation, { ...inTheirs, email: world.email(), role: 'owner' }),
      await world.code(RevokeInvitation, { ...inTheirs, invitation: invitation.id }),
      await world.code(ChangeRole, { ...inTheirs, user: member.user, role: 'viewer' }),
      await world.code(RemoveMember, { ...inTheirs, user: member.user }),
      await world.code(CreateKey, { ...inTheirs, name: 'x' }),
      await world.code(CreateMcpKey, inTheirs),
      await world.code(RenameKey, { ...inTheirs, key: key.id, name: 'x' }),
      await world.code(RotateKey, { ...inTheirs, key: key.id }),
      await world.code(RevokeKey, { ...inTheirs, key: key.id }),
    ];
    expect(new Set(refusals)).toEqual(new Set(['not_permitted']));
    expect(await world.code(ListMembers, { account: 999_999, actor })).toBe('not_permitted');
    const inOwn = { account: own, actor };
    expect(await world.code(RevokeInvitation, { ...inOwn, invitation: invitation.id })).toBe('invitation_not_found');
    expect(await world.code(ChangeRole, { ...inOwn, user: member.user, role: 'viewer' })).toBe('user_not_found');
    expect(await world.code(RemoveMember, { ...inOwn, user: member.user })).toBe('user_not_found');
    expect(await world.code(RotateKey, { ...inOwn, key: key.id })).toBe('key_not_found');
    expect(await world.code(RevokeKey, { ...inOwn, key: key.id })).toBe('key_not_found');
    expect(await world.code(EndSessions, { user: theirs.user, actor })).toBe('not_permitted');
    const members = (await world.ask(ListMembers, { account: foreign, actor: as(theirs.user) })).members.map(({ role }) => role);
    expect(members).toEqual(['owner', 'member']);
  });

  it('refuse sign-in to a person without any account', async () => {
    const owner = await world.owner();
    const { user, email } = await world.member(owner, 'member');
    await world.ask(RemoveMember, { account: owner.account, user, actor: as(owner.user) });
    expect(await world.code(SignIn, { email, password: PASSWORD, origin })).toBe('not_permitted');
  });
});
