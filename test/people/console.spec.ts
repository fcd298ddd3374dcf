import { CreateSetupLink, EndSessions, RotateSessionKey, SignIn } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { Browser, type PageAnswer } from './browser.js';
import { ConsoleInProcess } from './console-process.js';
import { codeOf, ConsoleScene, COOKIE } from './console-scene.js';
import { OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let scene: ConsoleScene;
let world: PeopleWorld;
let owner: Resident;
beforeAll(async () => {
  scene = await ConsoleScene.start();
  ({ world, owner } = scene);
});
afterAll(() => scene?.end());

const open = (): Browser => scene.open();
const signedIn = (person?: Pick<Resident, 'email'>): Promise<Browser> => scene.signedIn(person);

describe('signing in', () => {
  it('gives the page a token and an HTTP-only cookie', async () => {
    const browser = open();
    const { status, headers, body } = await browser.post('/api/sign-in', { email: owner.email, password: PASSWORD });
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^ey/) as string,
        expires_at: expect.any(String) as string,
        user: owner.user,
        account: { id: owner.account, slug: owner.tokens.slug, role: 'owner' },
      },
    ]);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-slipway_refresh=[\w.-]{66}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
      expect.stringMatching(/^__Host-slipway_browser=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    expect((await browser.get('/api/me')).body).toMatchObject({
      id: owner.user,
      email: owner.email,
      has_password: true,
      account: owner.account,
      role: 'owner',
      memberships: [{ role: 'owner' }],
    });
  });

  it('answers unknown addresses and wrong passwords alike', async () => {
    const answers = await Promise.all([
      open().post('/api/sign-in', { email: owner.email, password: 'not the password' }),
      open().post('/api/sign-in', { email: world.email(), password: PASSWORD }),
    ]);
    expect(codeOf(answers[0])).toEqual([401, 'invalid_credentials']);
    expect(answers[0].body).toEqual(answers[1].body);
    const names = ({ headers }: PageAnswer): string[] => [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name));
    expect(names(answers[0])).toEqual(names(answers[1]));
  });

  it.each([
    [{}, 'email'],
    [{ email: 'nobody', password: 'x' }, 'email'],
    [{ email: 'a@example.com', password: '' }, 'password'],
    [{ email: 'a@example.com', password: 'x'.repeat(201) }, 'password'],
    [{ email: 'a@example.com', password: { $ne: '' } }, 'password'],
  ])('names the first wrong field, case %#', async (body, param) => {
    const answer = await open().post('/api/sign-in', body);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_request', param }]);
  });

  it.each([
    [400, 'invalid_json', '{'],
    [400, 'invalid_json', '{"__proto__":{"a":1}}'],
    [413, 'request_too_large', `{"email":"${'x'.repeat(70_000)}"}`],
  ])('refuses an invalid body: %i %s', async (status, code, body) => {
    expect(codeOf(await open().post('/api/sign-in', body))).toEqual([status, code]);
  });
});

describe('a session', () => {
  it('is refreshed by its cookie, which changes each time', async () => {
    const browser = await signedIn();
    const cookie = browser.cookies.get(COOKIE);
    browser.accessToken = undefined;
    expect((await browser.post('/api/refresh')).status).toBe(200);
    expect(browser.cookies.get(COOKIE)).not.toBe(cookie);
    expect((await browser.get('/api/me')).status).toBe(200);
  });

  it('ends when an old cookie is used again', async () => {
    const browser = await signedIn();
    const stolen = open();
    stolen.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? '');
    await browser.post('/api/refresh');
    await world.keys.sql(`UPDATE sessions.session SET rotated_at = rotated_at - interval '11 seconds'`);
    expect(codeOf(await stolen.post('/api/refresh'))).toEqual([401, 'session_ended']);
    expect(stolen.cookies.size).toBe(0);
    expect(codeOf(await browser.post('/api/refresh'))).toEqual([401, 'session_ended']);
    await until('the token is void', async () => (await browser.get('/api/me')).status === 401);
  });

  it('ends at sign-out with its token and cookie', async () => {
    const browser = await signedIn();
    expect((await browser.post('/api/sign-out')).status).toBe(200);
    // The token of a known browser is no credential, and stays.
    expect([...browser.cookies.keys()]).toEqual(['__Host-slipway_browser']);
    await until('the token is void', async () => (await browser.get('/api/me')).status === 401);
    expect((await browser.post('/api/sign-out')).status).toBe(200);
  });

  it('can be ended singly and everywhere', async () => {
    const person = await world.owner();
    const [one, other] = [await signedIn(person), await signedIn(person)];
    const { body } = await one.post<{ sessions: { id: string }[] }>('/api/sessions/list');
    expect(body.sessions).toHaveLength(3);
    const me = await other.get<{ session: string }>('/api/me');
    expect((await one.post('/api/sessions/end', { session: me.body.session })).body).toEqual({ ended: 1 });
    await until('the other token is void', async () => (await other.get('/api/me')).status === 401);
    expect((await one.post('/api/sign-out-everywhere')).body).toEqual({ ended: 2 });
    await until('the own token is void', async () => (await one.get('/api/me')).status === 401);
  });

  it('ends at every console when an operator ends it', async () => {
    const person = await world.owner();
    const browser = await signedIn(person);
    const second = await ConsoleInProcess.start(world.keys.bus);
    try {
      const elsewhere = new Browser(second.url);
      elsewhere.accessToken = browser.accessToken;
      await until('the second console knows the token', async () => (await elsewhere.get('/api/me')).status === 200);
      await world.keys.ask(EndSessions, { user: person.user, actor: OPS });
      for (const one of [browser, elsewhere]) await until('the token is void', async () => (await one.get('/api/me')).status === 401);
    } finally {
      expect(await second.stop()).toBe(0);
    }
  });

  it('lives on over a rotation of signing keys', async () => {
    const browser = await signedIn();
    await world.keys.ask(RotateSessionKey, { actor: OPS });
    expect((await browser.get('/api/me')).status).toBe(200);
    await until('tokens of the new key are known', async () => {
      const fresh = await signedIn();
      return (await fresh.get('/api/me')).status === 200;
    });
  });

  it('alone survives the change of password in it', async () => {
    const person = await world.owner();
    const [asking, other] = [await signedIn(person), await signedIn(person)];
    const next = 'another horse battery';
    expect(codeOf(await asking.post('/api/password', { current: 'wrong one', next }))).toEqual([401, 'invalid_credentials']);
    expect((await asking.post('/api/password', { current: PASSWORD, next })).body).toEqual({ ended: 2 });
    expect((await asking.get('/api/me')).status).toBe(200);
    expect(codeOf(await other.post('/api/refresh'))).toEqual([401, 'session_ended']);
    expect(await world.code(SignIn, { email: person.email, password: next, origin: {} })).toBeUndefined();
  });
});

describe('a link', () => {
  it("sets up an account's first owner, once", async () => {
    const account = await world.keys.account();
    const { token } = await world.keys.ask(CreateSetupLink, { account, actor: OPS });
    const browser = open();
    expect((await browser.post('/api/invitations/find', { token })).body).toMatchObject({ role: 'owner', email: null, known: false });
    const acceptance = { token, email: world.email(), name: 'First', password: PASSWORD };
    expect((await browser.post('/api/invitations/accept', acceptance)).body).toMatchObject({ account: { id: account, role: 'owner' } });
    expect((await browser.get('/api/me')).body).toMatchObject({ name: 'First' });
    expect(codeOf(await open().post('/api/invitations/accept', acceptance))).toEqual([404, 'invitation_not_found']);
  });

  it('invites a member, who is promoted and removed', async () => {
    const boss = await signedIn();
    const email = world.email();
    const { body } = await boss.post<{ token: string }>('/api/invitations/create', { email, role: 'viewer' });
    expect(body.token).toMatch(/^[\w-]{43}$/);
    const guest = open();
    await guest.post('/api/invitations/accept', { token: body.token, password: PASSWORD });
    const me = await guest.get<{ id: number }>('/api/me');
    expect(me.body).toMatchObject({ email, role: 'viewer' });
    for (const log of ['/api/audit/list', '/api/deployment-audit/list'])
      expect(codeOf(await guest.post(log))).toEqual([403, 'not_permitted']);
    expect((await boss.post('/api/members/set-role', { user: me.body.id, role: 'member' })).body).toEqual({
      user: me.body.id,
      role: 'member',
    });
    await until('the old token is void', async () => (await guest.get('/api/me')).status === 401);
    await guest.post('/api/refresh');
    expect((await guest.get('/api/me')).body).toMatchObject({ role: 'member' });
    expect((await boss.post('/api/members/remove', { user: me.body.id })).status).toBe(200);
    await until('the token is void', async () => (await guest.get('/api/me')).status === 401);
    const { body: log } = await boss.post<{ entries: { action: string; address: string }[] }>('/api/audit/list');
    expect(log.entries.slice(0, 2).map(({ action }) => action)).toEqual(['member.remove', 'member.role']);
  });
});
