import {
  ChangePassword,
  ChangeRole,
  EndSessions,
  FindInvitation,
  Incarnation,
  ListAudit,
  ListSessions,
  ListSessionKeys,
  RefreshSession,
  RemoveMember,
  RotateSessionKey,
  SessionFeed,
  type SessionFeedRecord,
  type SessionId,
  sessionAudience,
  sessionIssuer,
  type SessionTokens,
  SignIn,
  SignOut,
} from '@slipway/contracts';
import { FeedReader } from '@slipway/feed';
import { createLogger } from '@slipway/platform';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownRecords } from '../feed/known-records.js';
import { ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
let owner: Resident;
beforeAll(async () => {
  world = await PeopleWorld.start();
  owner = await world.owner();
});
afterAll(() => world?.end());

const origin = { address: '192.0.2.7', client: 'test browser' };
const signIn = ({ email }: Pick<Resident, 'email'> = owner): Promise<SessionTokens> =>
  world.ask(SignIn, { email, password: PASSWORD, origin });
/** Retries as a page does when the service asks for it because its database is too busy. */
const refresh = ({ refresh_token: token }: SessionTokens, attempt?: string): Promise<{ reply?: SessionTokens; code?: string }> =>
  until('the session is refreshed or refused', async () => {
    const outcome = await world.outcome(RefreshSession, { refresh_token: token, attempt, origin });
    return outcome.code !== 'unavailable' && outcome;
  });
/** Names of attempts, as pages create them. */
const [MINE, THEIRS, NEXT] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string];

describe('signing in', () => {
  it('answers unknown addresses and wrong passwords alike', async () => {
    const refusals = await Promise.all(
      [
        { email: owner.email, password: 'not the password' },
        { email: world.email(), password: PASSWORD },
      ].map((credentials) =>
        world.console.call({ ...SignIn, timeoutMs: 20_000 }, { ...credentials, origin }).catch((error: unknown) => error),
      ),
    );
    const [wrong, unknown] = refusals as { code: string; message: string; param: string | undefined }[];
    expect([wrong?.code, wrong?.message, wrong?.param]).toEqual([unknown?.code, unknown?.message, unknown?.param]);
    expect(wrong?.code).toBe('invalid_credentials');
  });

  it('ignores the case of an address', async () => {
    const tokens = await world.ask(SignIn, { email: ` ${owner.email.toUpperCase()} `, password: PASSWORD, origin });
    expect(tokens.user).toBe(owner.user);
  });

  it.each(['known', 'unknown'])('locks out an %s address after ten failures', async (kind) => {
    const { email } = kind === 'known' ? await world.owner() : { email: world.email() };
    const codes = await Promise.all(Array.from({ length: 12 }, () => world.code(SignIn, { email, password: 'not the password', origin })));
    expect(codes.filter((code) => code === 'rate_limit_exceeded')).toHaveLength(2);
    expect(await world.code(SignIn, { email, password: PASSWORD, origin })).toBe('rate_limit_exceeded');
    expect((await signIn()).user).toBe(owner.user);
    await world.keys.sql(`UPDATE sessions.attempt SET since = since - interval '16 minutes'`);
    expect(await world.code(SignIn, { email, password: PASSWORD, origin })).toBe(kind === 'known' ? undefined : 'invalid_credentials');
  });
});

describe('a session token', () => {
  it('states the person, account, role and expiry', async () => {
    const tokens = await signIn();
    const jwks = createLocalJWKSet(await world.ask(ListSessionKeys, {}));
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, jwks, {
      issuer: sessionIssuer(ENV),
      audience: sessionAudience(ENV),
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    });
    expect(payload).toMatchObject({ sub: String(owner.user), sid: tokens.session, acct: owner.account, role: 'owner', ver: 1 });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(900);
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) as string });
  });

  it('stays valid when the signing key is rotated', async () => {
    const before = await signIn();
    const { kid } = await world.keys.ask(RotateSessionKey, { actor: OPS });
    const after = await signIn();
    expect(decodeProtectedHeader(after.access_token).kid).toBe(kid);
    const published = await world.ask(ListSessionKeys, {});
    for (const { access_token: token } of [before, after]) await jwtVerify(token, createLocalJWKSet(published));
    const leaked = await world.keys.ask(RotateSessionKey, { revoke_old: true, actor: OPS });
    const { keys } = await world.ask(ListSessionKeys, {});
    expect(keys.map((key) => key.kid)).toEqual([leaked.kid]);
    await expect(jwtVerify(after.access_token, createLocalJWKSet({ keys }))).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  it('is signed by a key that is stored sealed', async () => {
    await world.keys.ask(RotateSessionKey, { actor: OPS });
    const rows = await world.keys.sql<{ sealed: string | null; retired: boolean }>(
      `SELECT sealed, retired_at IS NOT NULL AS retired FROM sessions.signing_key`,
    );
    expect(rows.filter(({ retired }) => !retired)).toHaveLength(1);
    for (const { sealed, retired } of rows) {
      if (retired) expect(sealed).toBeNull();
      else expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
    }
  });

  it('is signed by a new key after 30 days', async () => {
    await world.keys.sql(`UPDATE sessions.signing_key SET created_at = now() - interval '31 days' WHERE retired_at IS NULL`);
    const { kid } = decodeProtectedHeader((await signIn()).access_token);
    const rows = await world.keys.sql<{ object: string; actor: string; cause: string }>(
      `SELECT object, actor, facts ->> 'cause' AS cause FROM audit.entry WHERE action = 'signing_key.rotate' AND account_id IS NULL ORDER BY id`,
    );
    expect(rows[0]).toMatchObject({ actor: 'unknown', cause: 'first' });
    expect(rows.at(-1)).toEqual({ object: `signing-key:${kid}`, actor: 'unknown', cause: 'age' });
  });

  it("is void once the person's role changes", async () => {
    const member = await world.member(owner, 'member');
    await world.ask(ChangeRole, { account: owner.account, user: member.user, role: 'viewer', actor: as(owner.user) });
    const { reply } = await refresh(member.tokens);
    expect(decodeJwt(reply?.access_token ?? '')).toMatchObject({ role: 'viewer', ver: 2 });
  });
});

describe('a refresh token', () => {
  it('ends its session when it is used again', async () => {
    const first = await signIn();
    const { reply: second } = await refresh(first, MINE);
    expect((await refresh(first, THEIRS)).code).toBe('session_ended');
    expect((await refresh(second!, NEXT)).code).toBe('session_ended');
    const { entries } = await world.ask(ListAudit, { account: owner.account, actor: as(owner.user) });
    expect(entries.find(({ action }) => action === 'session.reuse_detected')).toMatchObject({ object: `session:${first.session}` });
    expect((await signIn()).user).toBe(owner.user);
  });

  it('used by a thief ends the session later', async () => {
    for (const attempt of [MINE, undefined]) {
      const first = await signIn();
      const { reply: stolen } = await refresh(first);
      expect((await refresh(first, attempt)).code).toBe('session_ended');
      expect((await refresh(stolen!)).code).toBe('session_ended');
    }
  });

  it('can be retried by the same attempt', async () => {
    const first = await signIn();
    await refresh(first, MINE);
    await world.keys.sql(`UPDATE sessions.session SET rotated_at = rotated_at - interval '3 hours' WHERE id = $1`, [first.session]);
    const { reply: again } = await refresh(first, MINE);
    const { reply: next } = await refresh(again!, NEXT);
    expect(next?.session).toBe(first.session);
    expect((await refresh(first, MINE)).code).toBe('session_ended');
    expect((await refresh(next!, THEIRS)).code).toBe('session_ended');
  });

  it('serves ten tabs that share an attempt', async () => {
    const first = await signIn();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(first, MINE)));
    const survivors = answers.flatMap(({ reply }) => (reply ? [reply] : []));
    expect(survivors).toHaveLength(10);
    const { reply: next } = await refresh(survivors[7]!, NEXT);
    expect(next?.session).toBe(first.session);
    expect((await refresh(survivors[3]!, THEIRS)).code).toBe('session_ended');
    expect((await refresh(next!, THEIRS)).code).toBe('session_ended');
  });

  it('of two generations ago always counts as reused', async () => {
    const first = await signIn();
    const { reply: second } = await refresh(first);
    const { reply: third } = await refresh(second!);
    expect((await refresh(first)).code).toBe('session_ended');
    expect((await refresh(third!)).code).toBe('session_ended');
  });

  it.each([
    ['idle for twelve hours', `rotated_at = now() - interval '12 hours'`],
    ['two weeks old', `expires_at = now()`],
  ])('of a session %s is refused', async (_, change) => {
    const tokens = await signIn();
    await world.keys.sql(`UPDATE sessions.session SET ${change} WHERE id = $1`, [tokens.session]);
    expect((await refresh(tokens)).code).toBe('session_ended');
  });

  it('that was invented is refused and ends nothing', async () => {
    const tokens = await signIn();
    for (const token of ['', 'x', `${tokens.session}.${'A'.repeat(43)}`, `${'A'.repeat(22)}.${'A'.repeat(43)}`]) {
      expect(await world.outcome(RefreshSession, { refresh_token: token, origin })).toEqual({ code: 'session_ended' });
      expect(await world.ask(SignOut, { refresh_token: token, origin })).toEqual({ ended: false });
    }
    expect((await refresh(tokens)).reply?.session).toBe(tokens.session);
  });

  it('switches only to another account of the person', async () => {
    const tokens = await signIn();
    const foreign = await world.owner();
    const { slug } = foreign.tokens;
    expect(await world.code(RefreshSession, { refresh_token: tokens.refresh_token, account: slug, origin })).toBe('not_permitted');
    expect((await refresh(tokens)).reply?.account).toBe(owner.account);
  });
});

describe('the end of a session', () => {
  it('comes with sign-out, for this session only', async () => {
    const [one, other] = [await signIn(), await signIn()];
    expect(await world.ask(SignOut, { refresh_token: one.refresh_token, origin })).toEqual({ ended: true });
    expect((await refresh(one)).code).toBe('session_ended');
    expect((await refresh(other)).reply?.session).toBe(other.session);
  });

  it('comes with sign-out everywhere, or by its id', async () => {
    const person = await world.owner();
    const [one, other] = [await signIn(person), await signIn(person)];
    expect((await world.ask(ListSessions, { user: person.user })).sessions).toHaveLength(3);
    expect(await world.code(EndSessions, { user: owner.user, session: one.session, actor: as(owner.user) })).toBe('session_not_found');
    expect(await world.ask(EndSessions, { user: person.user, session: one.session, actor: as(person.user) })).toEqual({ ended: 1 });
    expect((await refresh(one)).code).toBe('session_ended');
    expect(await world.ask(EndSessions, { user: person.user, actor: as(person.user) })).toEqual({ ended: 2 });
    expect((await refresh(other)).code).toBe('session_ended');
    expect(await world.keys.sql(`SELECT id FROM sessions.session WHERE user_id = $1 AND ended_at IS NULL`, [person.user])).toEqual([]);
  });

  it('comes for all other sessions with a password change', async () => {
    const person = await world.owner();
    const asking = await signIn(person);
    const change = { session: asking.session, user: person.user, next: 'another horse battery', origin };
    expect(await world.code(ChangePassword, { ...change, current: 'not the password' })).toBe('invalid_credentials');
    expect(await world.code(ChangePassword, { ...change, session: owner.tokens.session, current: PASSWORD })).toBe('session_ended');
    expect(await world.ask(ChangePassword, { ...change, current: PASSWORD })).toEqual({ ended: 1 });
    expect((await refresh(person.tokens)).code).toBe('session_ended');
    expect((await refresh(asking)).reply?.session).toBe(asking.session);
    expect(await world.code(SignIn, { email: person.email, password: PASSWORD, origin })).toBe('invalid_credentials');
    expect(await world.code(SignIn, { email: person.email, password: change.next, origin })).toBeUndefined();
  });

  it('comes when the person leaves the account', async () => {
    const member = await world.member(owner, 'member');
    await world.ask(RemoveMember, { account: owner.account, user: member.user, actor: as(owner.user) });
    expect((await refresh(member.tokens)).code).toBe('session_ended');
  });

  it('reaches every console, later ones too', async () => {
    const nats = await world.keys.bus.connect('console');
    const common = { nats, env: ENV, log: createLogger('test', 'silent'), contract: SessionFeed };
    const open = (name: string): { reader: FeedReader<SessionFeedRecord>; known: KnownRecords<SessionFeedRecord> } => {
      const known = new KnownRecords<SessionFeedRecord>();
      return { known, reader: new FeedReader({ ...common, reader: Incarnation.parse(name), sink: known }) };
    };
    const entry = (known: KnownRecords<SessionFeedRecord>, session: SessionId): Promise<SessionFeedRecord> =>
      until('the end is published', () => known.now.get(`session:${session}`));
    const { reader, known } = open('console-1');
    reader.start();
    await until('the console knows the feed', () => reader.freshness().state === 'fresh');
    const tokens = await signIn();
    expect(known.now.has(`session:${tokens.session}`)).toBe(false);
    await world.ask(SignOut, { refresh_token: tokens.refresh_token, origin });
    expect(await entry(known, tokens.session)).toMatchObject({ ver: 2, ended: true });
    await reader.stop();
    const later = open('console-2');
    later.reader.start();
    expect(await entry(later.known, tokens.session)).toMatchObject({ ver: 2, ended: true });
    await later.reader.stop();
  });
});

describe('passwords and tokens', () => {
  it('are in no database column and log line', async () => {
    const tokens = await signIn();
    const { reply: next } = await refresh(tokens);
    await world.outcome(SignIn, { email: owner.email, password: 'a canary that sings', origin });
    await world.outcome(FindInvitation, { token: 'canaryinalink' });
    const secrets = [PASSWORD, 'a canary that sings', 'canaryinalink', tokens.refresh_token.slice(23), next!.refresh_token.slice(23)];
    const jwts = [tokens, next!].map(({ access_token: token }) => token.split('.')[2] ?? '');
    const tables = await world.keys.sql<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows = await Promise.all(tables.map(({ name }) => world.keys.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)));
    const dump = rows
      .flat()
      .map(({ row }) => row)
      .join('\n');
    expect(dump).toContain('$argon2id$v=19$m=64,t=1,p=1$');
    const output = await world.keys.lastWords();
    for (const secret of [...secrets, ...jwts]) {
      for (const spelling of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64').slice(0, -4)]) {
        expect(dump).not.toContain(spelling);
        expect(output).not.toContain(spelling);
      }
    }
  });
});
