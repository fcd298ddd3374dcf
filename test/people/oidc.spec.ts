import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  BeginSignInExternal,
  CreateInvitation,
  CreateSetupLink,
  DeleteUser,
  ListAudit,
  RefreshSession,
  ResetPassword,
  SetUserState,
  SignIn,
  SignInExternal,
  type UserState,
} from '@slipway/contracts';
import { freePorts } from '@slipway/testing';
import { decodeJwt, decodeProtectedHeader, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { signInAtProvider } from './at-provider.js';
import { Browser } from './browser.js';
import { ConsoleInProcess } from './console-process.js';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

const PROVIDER = fileURLToPath(new URL('processes/provider.mjs', import.meta.url));
const SESSION_COOKIE = '__Host-slipway_refresh';

let world: PeopleWorld;
let provider: ChildProcess;
let door: ConsoleInProcess;
let owner: Resident;
let issuer: string;

beforeAll(async () => {
  const [providerPort = 0, consolePort = 0] = await freePorts(2);
  const console_ = `http://127.0.0.1:${consolePort}`;
  provider = spawn(process.execPath, [PROVIDER, String(providerPort), `${console_}/api/oidc/callback`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [provider.stdout, provider.stderr]) stream?.on('data', (text: Buffer) => (output += text.toString()));
  issuer = `http://127.0.0.1:${providerPort}`;
  world = await PeopleWorld.start({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'slipway' });
  door = await ConsoleInProcess.start(world.keys.bus, {
    CONSOLE_PORT: String(consolePort),
    SIGN_INS_PER_MIN: '100000',
    CONSOLE_BASE_URL: console_,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'slipway',
    OIDC_CLIENT_SECRET: 'provider-secret',
    OIDC_NAME: 'Example',
  });
  await until('the provider listens', () => {
    if (provider.exitCode !== null) throw new Error(output);
    return output.includes('listening');
  });
  owner = await world.owner();
});
afterAll(async () => {
  provider.kill('SIGKILL');
  await door.end();
  await world.end();
});

/** Signs in at the provider as `login`. @returns the URL that it redirects the browser to */
const atProvider = (url: string, login: string): Promise<string> => signInAtProvider(url, { login, door: door.url });

async function begin(browser: Browser, invitation?: string): Promise<string> {
  const { status, body } = await browser.post<{ url: string }>('/api/oidc/start', invitation === undefined ? {} : { invitation });
  expect(status).toBe(200);
  return body.url;
}

/** Signs in through all redirects. @returns the console's last redirect */
async function signIn(login: string, invitation?: string): Promise<{ browser: Browser; end: string | null }> {
  const browser = new Browser(door.url);
  const back = await atProvider(await begin(browser, invitation), login);
  const response = await browser.navigate(back);
  expect(response.status).toBe(303);
  return { browser, end: response.headers.get('location') };
}

const refused = (code: string): string => `/#sign-in-failed=${code}`;
let made = 0;
const newLogin = (): string => `person-oidc-${(made += 1)}`;
const invite = async (email: string): Promise<string> => {
  const { token } = await world.ask(CreateInvitation, { account: owner.account, email, role: 'member', actor: as(owner.user) });
  return token;
};

describe('sign-in by an identity provider', () => {
  it('is offered by name and begins with PKCE', async () => {
    expect((await new Browser(door.url).get('/api/sign-in/ways')).body).toEqual({ password: true, identity_provider: 'Example' });
    const url = new URL(await begin(new Browser(door.url)));
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: 'slipway' });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/);
  });

  it('is refused to people who were not invited', async () => {
    const { browser, end } = await signIn(newLogin());
    expect([end, browser.cookies.has(SESSION_COOKIE)]).toEqual([refused('not_permitted'), false]);
  });

  it('accepts an invitation and then identifies by subject', async () => {
    const login = newLogin();
    const first = await signIn(login, await invite(`${login}@example.com`));
    expect(first.end).toBe('/');
    await first.browser.post('/api/refresh');
    const me = await first.browser.get<{ id: number }>('/api/me');
    expect(me.body).toMatchObject({ email: `${login}@example.com`, name: login, has_password: false, role: 'member' });
    const again = await signIn(login);
    await again.browser.post('/api/refresh');
    expect((await again.browser.get('/api/me')).body).toMatchObject({ id: me.body.id, has_password: false });
  });

  it('links several subjects of one verified address', async () => {
    const login = newLogin();
    const email = `${login}@example.com`;
    const resident = await world.accept(await invite(email), { email, account: owner.account });
    for (const name of [login, `renamed-${login}`]) {
      const { browser, end } = await signIn(name);
      expect(end).toBe('/');
      await browser.post('/api/refresh');
      expect((await browser.get('/api/me')).body).toMatchObject({ id: resident.user, has_password: false });
    }
  });

  it('removes the password and sessions of unverified registrations', async () => {
    const login = newLogin();
    const email = `${login}@example.com`;
    const squatter = await world.accept(await invite(email), { email, account: owner.account });
    const other = await world.owner();
    const { token } = await world.ask(CreateInvitation, { account: other.account, email, role: 'owner', actor: as(other.user) });
    const { browser, end } = await signIn(login, token);
    expect(end).toBe('/');
    await browser.post('/api/refresh');
    expect((await browser.get('/api/me')).body).toMatchObject({ id: squatter.user });
    const origin = { address: '192.0.2.7', client: 'test browser' };
    expect(await world.code(SignIn, { email, password: PASSWORD, origin })).toBe('invalid_credentials');
    expect(await world.code(RefreshSession, { refresh_token: squatter.tokens.refresh_token, origin })).toBe('session_ended');
    const { entries } = await world.ask(ListAudit, { account: owner.account, actor: as(owner.user) });
    expect(entries.find(({ action }) => action === 'user.prove')).toMatchObject({
      object_name: email,
      facts: { password_removed: 1, sessions_ended: 1 },
    });
    // A verified person keeps a password that an operator sets, also after another sign-in by the provider.
    const { password } = await world.keys.ask(ResetPassword, { user: squatter.user, actor: OPS });
    expect((await signIn(login)).end).toBe('/');
    expect((await world.ask(SignIn, { email, password, origin })).user).toBe(squatter.user);
  });

  it('is refused with an unverified address, even invited', async () => {
    const login = newLogin();
    const email = `${login}@example.com`;
    const token = await invite(email);
    expect((await signIn(`unverified-${login}`, token)).end).toBe(refused('not_permitted'));
    await world.accept(token, { email, account: owner.account });
    expect((await signIn(`unverified-${login}`)).end).toBe(refused('not_permitted'));
  });

  it("does not accept another person's invitation", async () => {
    const [invited, other] = [newLogin(), newLogin()];
    const token = await invite(`${invited}@example.com`);
    expect((await signIn(other, token)).end).toBe(refused('invalid_credentials'));
    expect((await signIn(invited, token)).end).toBe('/');
    expect((await signIn(invited, token)).end).toBe(refused('invitation_not_found'));
  });

  it('treats a suspended person like an unknown one', async () => {
    const unknown = (await signIn(newLogin())).end;
    const [linked, unlinked] = [newLogin(), newLogin()];
    expect((await signIn(linked, await invite(`${linked}@example.com`))).end).toBe('/');
    await world.accept(await invite(`${unlinked}@example.com`), { email: `${unlinked}@example.com`, account: owner.account });
    for (const login of [linked, unlinked]) {
      const email = `${login}@example.com`;
      const suspend = (state: UserState): Promise<unknown> => world.keys.ask(SetUserState, { email, state, actor: OPS });
      await suspend('suspended');
      expect([login, (await signIn(login)).end]).toEqual([login, unknown]);
      const elsewhere = await world.owner();
      const actor = as(elsewhere.user);
      const { token } = await world.ask(CreateInvitation, { account: elsewhere.account, email, role: 'member', actor });
      expect((await signIn(login, token)).end).toBe(refused('invitation_not_found'));
      await suspend('active');
      expect((await signIn(login, token)).end).toBe('/');
    }
  });

  it('treats an invited deleted person as new', async () => {
    const login = newLogin();
    const email = `${login}@example.com`;
    const userOf = async (browser: Browser): Promise<number> => {
      await browser.post('/api/refresh');
      return (await browser.get<{ id: number }>('/api/me')).body.id;
    };
    const first = await userOf((await signIn(login, await invite(email))).browser);
    await world.keys.ask(DeleteUser, { email, actor: OPS });
    expect((await signIn(login)).end).toBe(refused('not_permitted'));
    const again = await signIn(login, await invite(email));
    expect(again.end).toBe('/');
    expect(await userOf(again.browser)).toBeGreaterThan(first);
  });

  it('makes the first owner by a set-up link', async () => {
    const account = await world.keys.account();
    const { token } = await world.keys.ask(CreateSetupLink, { account, actor: OPS });
    const { browser, end } = await signIn(newLogin(), token);
    expect(end).toBe('/');
    await browser.post('/api/refresh');
    expect((await browser.get('/api/me')).body).toMatchObject({ account, role: 'owner' });
  });
});

describe('a way back from the provider', () => {
  it('works once, in the browser that began it', async () => {
    const login = newLogin();
    const browser = new Browser(door.url);
    const back = await atProvider(await begin(browser, await invite(`${login}@example.com`)), login);
    const thief = await new Browser(door.url).navigate(back);
    expect(thief.headers.get('location')).toBe(refused('not_permitted'));
    expect((await browser.navigate(back)).headers.get('location')).toBe('/');
    expect((await browser.navigate(back)).headers.get('location')).toBe(refused('not_permitted'));
  });

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'A'.repeat(43))],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['an invented code', (url: URL) => url.searchParams.set('code', 'A'.repeat(43))],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example.com')],
    [
      'an error of the provider',
      (url: URL): void => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'access_denied');
      },
    ],
  ])('with %s signs no person in', async (_, change) => {
    const login = newLogin();
    const browser = new Browser(door.url);
    const back = new URL(await atProvider(await begin(browser, await invite(`${login}@example.com`)), login));
    change(back);
    const response = await browser.navigate(back.href);
    expect(response.headers.get('location')).toBe(refused('not_permitted'));
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
  });

  it('with an invented cookie signs no person in', async () => {
    const login = newLogin();
    const browser = new Browser(door.url);
    const back = await atProvider(await begin(browser), login);
    for (const cookie of ['x', Buffer.from('{"state":1}').toString('base64url'), '']) {
      browser.cookies.set('__Host-slipway_oidc', cookie);
      expect((await browser.navigate(back)).headers.get('location')).toBe(refused('not_permitted'));
    }
  });
});

describe('a compromised console', () => {
  const origin = { address: '192.0.2.7', client: 'test browser' };
  const attempt = (id_token: string): Promise<string | undefined> => world.code(SignInExternal, { id_token, origin });

  /** Tokens of a real sign-in at the provider, for this nonce. */
  async function tokensFor(login: string, nonce: string): Promise<{ id_token: string; access_token: string }> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const redirect_uri = `${door.url}/api/oidc/callback`;
    const asked = { client_id: 'slipway', response_type: 'code', scope: 'openid email profile', redirect_uri, nonce, state: 's' };
    const query = new URLSearchParams({ ...asked, code_challenge: challenge, code_challenge_method: 'S256' });
    const back = new URL(await atProvider(`${issuer}/auth?${query.toString()}`, login));
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri,
      code_verifier: verifier,
    });
    const authorization = `Basic ${Buffer.from('slipway:provider-secret').toString('base64')}`;
    const response = await fetch(`${issuer}/token`, { method: 'POST', headers: { authorization }, body });
    const { id_token, access_token } = (await response.json()) as Awaited<ReturnType<typeof tokensFor>>;
    return { id_token, access_token };
  }

  /** A copy of a real token with changes, signed by another key. */
  async function forged(real: string, changes: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const { privateKey } = await generateKeyPair('RS256');
    const token = new SignJWT({ ...decodeJwt(real), ...changes });
    return token.setProtectedHeader({ ...(decodeProtectedHeader(real) as JWTHeaderParameters), ...header }).sign(privateKey);
  }

  const resident = async (login: string): Promise<void> => {
    const email = `${login}@example.com`;
    await world.accept(await invite(email), { email, account: owner.account });
  };

  it('cannot sign in without a new provider token', async () => {
    const login = newLogin();
    await resident(login);
    const { nonce } = await world.ask(BeginSignInExternal, {});
    const tokens = await tokensFor(login, nonce);
    const { id_token: real } = tokens;
    for (const made of ['x', 'x.y.z', await forged(real, {}), await forged(real, { sub: 'another' }, { alg: 'RS256', kid: 'none' })]) {
      expect(await attempt(made)).toBe('not_permitted');
    }
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${real.split('.')[1] ?? ''}.`;
    expect(await attempt(unsigned)).toBe('not_permitted');
    expect((await world.ask(SignInExternal, { ...tokens, origin })).role).toBe('member');
    expect(await world.code(SignInExternal, { ...tokens, origin })).toBe('not_permitted');
  });

  it('cannot use a token of another sign-in', async () => {
    const login = newLogin();
    await resident(login);
    const tokens = await tokensFor(login, randomBytes(32).toString('base64url'));
    expect(await world.code(SignInExternal, { ...tokens, origin })).toBe('not_permitted');
  });
});

it('failed sign-ins are audited once a minute', async () => {
  await world.keys.lastWords();
  const rows = await world.keys.sql<{ account_id: number | null; object: string; facts: { times: number; reason: string } }>(
    `SELECT account_id, object, facts FROM audit.entry WHERE action = 'session.sign_in_failed' AND object = 'sign_in:identity_provider'`,
  );
  expect(new Set(rows.map(({ account_id: account }) => account))).toEqual(new Set([null]));
  expect(rows.map(({ facts }) => facts.reason).join(', ')).toContain('not_permitted');
  // Seven are forged, reused or of another sign-in.
  expect(rows.reduce((times, { facts }) => times + facts.times, 0)).toBeGreaterThanOrEqual(7);
});

it('no code, verifier or client secret is logged', async () => {
  const output = await door.lastWords();
  expect(output).toContain('/api/oidc/callback');
  expect(output).not.toContain('provider-secret');
  expect(output).not.toMatch(/[?&]code=/);
});
