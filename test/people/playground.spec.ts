import {
  type AccountId,
  DeploymentFeed,
  type DeploymentFeedRecord,
  EndSessions,
  type DeploymentId,
  KeepPlayground,
  ListAudit,
  ListKeys,
  OpenPlayground,
  RevokeKey,
  SetAccountLimits,
  SignOut,
} from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatewayInProcess } from '../gateway/gateway-process.js';
import { ScriptedFeed } from '../gateway/scripted-feed.js';
import { answerInWords, answerSlowly, ScriptedRunner } from '../gateway/scripted-runner.js';
import { PEPPER } from '../keys/keys-service.js';
import { ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { Browser } from './browser.js';
import { ConsoleInProcess } from './console-process.js';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
let gateway: GatewayInProcess;
let door: ConsoleInProcess;
let deployments: ScriptedFeed<DeploymentFeedRecord>;
let runner: ScriptedRunner;
let owner: Resident;
const DEPLOYMENT = 7 as DeploymentId;
const log = createLogger('test', 'silent');

beforeAll(async () => {
  world = await PeopleWorld.start({ LOG_LEVEL: 'debug' });
  const { bus } = world.keys;
  owner = await world.owner();
  deployments = new ScriptedFeed(DeploymentFeed, await bus.connect('deployments'), ENV);
  deployments.start();
  put(owner.account);
  runner = new ScriptedRunner({ nats: await bus.connect('worker'), env: ENV, dep: DEPLOYMENT, log });
  runner.start();
  const peppers = `${PEPPER.id}:${PEPPER.secret.toString('hex')}`;
  gateway = await GatewayInProcess.start(bus, { KEY_PEPPERS: peppers });
  const settings = { SIGN_INS_PER_MIN: '100000', GATEWAY_URL: `http://127.0.0.1:${gateway.port}` };
  door = await ConsoleInProcess.start(bus, settings);
});
afterEach(() => {
  runner.script = answerInWords;
});
afterAll(async () => {
  await door?.end();
  await gateway?.end();
  await runner?.stop();
  deployments?.stop();
  await world?.end();
});

function put(account: AccountId): void {
  const state = { desired: 'ready', state: 'ready' } as const;
  deployments.put(`deployment:${DEPLOYMENT}`, { type: 'deployment', id: DEPLOYMENT, account, ...state, rev: 1, caps: [], context: null });
}

async function signedIn(person: Pick<Resident, 'email'>): Promise<Browser> {
  const browser = new Browser(door.url);
  expect((await browser.post('/api/sign-in', { email: person.email, password: PASSWORD })).status).toBe(200);
  return browser;
}

const CHAT = '/api/playground/deployment-7/chat';
const chat = (fields: object = {}): string =>
  JSON.stringify({ model: 'deployment-7', stream: true, messages: [{ role: 'user', content: 'one two' }], ...fields });

/** A page's raw request and response, whose stream the test reads. */
const ask = (browser: Browser, body: string, { path = CHAT, signal }: { path?: string; signal?: AbortSignal } = {}): Promise<Response> =>
  fetch(`${door.url}${path}`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${browser.accessToken ?? ''}`, 'content-type': 'application/json', origin: door.url },
    ...(signal && { signal }),
  });

/** Until the gateway knows the runner. */
const whenAnswering = (browser: Browser): Promise<Response> =>
  until('the deployment answers', async () => {
    const response = await ask(browser, chat());
    if (response.status === 200) return response;
    await response.text();
    return null;
  });

const errorOf = async (response: Response): Promise<[number, string]> => {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
};

describe('the playground', () => {
  it("relays the gateway's stream, without showing the key", async () => {
    const browser = await signedIn(owner);
    const response = await whenAnswering(browser);
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('request-id')).toMatch(/^req_/);
    expect(text.split('\n\n').filter((event) => event !== '')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^data: \{"id":"chatcmpl-/), 'data: [DONE]']),
    );
    expect(text + JSON.stringify([...response.headers])).not.toContain('svc_dep_');
  });

  it('relays every contract and refusals unchanged', async () => {
    const browser = await signedIn(owner);
    await (await whenAnswering(browser)).text();
    const path = '/api/playground/deployment-7/messages';
    const body = { model: 'deployment-7', max_tokens: 20, stream: true, messages: [{ role: 'user', content: 'one two' }] };
    expect(await (await ask(browser, JSON.stringify(body), { path })).text()).toContain('event: message_stop');
    const responses = { model: 'deployment-7', stream: true, input: 'one two' };
    const answer = await ask(browser, JSON.stringify(responses), { path: '/api/playground/deployment-7/responses' });
    expect(await answer.text()).toContain('event: response.completed');
    const refused = await ask(browser, chat({ temperature: 9 }));
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'temperature' } }]);
    expect((await ask(browser, chat(), { path: '/api/playground/deployment-8/chat' })).status).toBe(404);
  });

  it('cancels the request when the page closes', async () => {
    const browser = await signedIn(owner);
    await (await whenAnswering(browser)).text();
    runner.script = answerSlowly(10_000, 20);
    const before = runner.cancelled;
    const leaving = new AbortController();
    const response = await ask(browser, chat(), { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await until('the runner got the cancel', () => runner.cancelled === before + 1);
  });

  it("needs a member's session and the console's page", async () => {
    const member = await signedIn(await world.member(owner, 'member'));
    await (await whenAnswering(member)).text();
    const viewer = await signedIn(await world.member(owner, 'viewer'));
    expect(await errorOf(await ask(viewer, chat()))).toEqual([403, 'not_permitted']);
    const other = await signedIn(await world.owner());
    expect((await ask(other, chat())).status).toBe(404);
    const signedOut = new Browser(door.url);
    expect(await errorOf(await ask(signedOut, chat()))).toEqual([401, 'session_ended']);
    const elsewhere = await fetch(`${door.url}${CHAT}`, {
      method: 'POST',
      body: chat(),
      headers: { authorization: `Bearer ${member.accessToken}`, 'content-type': 'application/json', origin: 'https://evil.example' },
    });
    expect(await errorOf(elsewhere)).toEqual([403, 'not_permitted']);
    for (const path of ['/api/playground/deployment-7/count', '/api/playground/local/chat', '/api/playground/deployment-7/chat/x']) {
      expect(await errorOf(await ask(member, chat(), { path }))).toEqual([404, 'not_found']);
    }
    expect(await errorOf(await ask(member, chat({ pad: 'x'.repeat(1_100_000) })))).toEqual([413, 'request_too_large']);
  });

  it("is subject to the account's limits", async () => {
    const person = await world.owner();
    put(person.account);
    const browser = await signedIn(person);
    await (await whenAnswering(browser)).text();
    await world.keys.ask(SetAccountLimits, { account: person.account, limits: { concurrent_requests: 1 }, actor: OPS });
    runner.script = answerSlowly(10_000, 20);
    const leaving = new AbortController();
    const running = await ask(browser, chat(), { signal: leaving.signal });
    const refused = await until('a second one is refused', async () => {
      // A request that is not refused would take long: it is cancelled, and the next one decides.
      const second = await ask(browser, chat({ stream: false, max_tokens: 1 }), { signal: AbortSignal.timeout(1_000) }).catch(() => null);
      return second?.status === 429 && second;
    });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    leaving.abort();
    // When its page cancels it, the body fails instead of ending.
    await running.body?.cancel().catch(() => undefined);
    put(owner.account);
  });

  it('ends with the session, running requests included', async () => {
    const person = await world.member(owner, 'member');
    const browser = await signedIn(person);
    await (await whenAnswering(browser)).text();
    const { body: me } = await browser.get<{ session: string }>('/api/me');
    const actor = as(person.user);
    const own = world.proving(browser.accessToken ?? '');
    const { value } = await own.ask(OpenPlayground, { account: owner.account, session: me.session, actor });
    const direct = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${gateway.port}/deployment-7/v1/chat/completions`, {
        method: 'POST',
        body: chat({ stream: false }),
        headers: { authorization: `Bearer ${value ?? ''}`, 'content-type': 'application/json' },
      });
    await until('the key opens the deployment', async () => (await direct()).status === 200);
    runner.script = answerSlowly(10_000, 20);
    const response = await ask(browser, chat());
    await world.keys.ask(EndSessions, { user: person.user, actor: OPS });
    // The error is the last event, and the response then ends normally: browsers would lose it otherwise.
    expect(await response.text()).toMatch(/"code":"invalid_api_key"[^\n]*\s*$/);
    await until('the key is dead', async () => (await direct()).status === 401);
    expect((await own.outcome(OpenPlayground, { account: owner.account, session: me.session, actor })).code).toBe('session_ended');
    expect(await errorOf(await ask(browser, chat()))).toEqual([401, 'session_ended']);
  });

  it('reports a gateway that cannot be reached', async () => {
    const lost = await ConsoleInProcess.start(world.keys.bus, { GATEWAY_URL: 'http://127.0.0.1:9' });
    try {
      const browser = await signedIn(owner);
      const response = await fetch(`${lost.url}${CHAT}`, {
        method: 'POST',
        body: chat(),
        headers: { authorization: `Bearer ${browser.accessToken}`, 'content-type': 'application/json', origin: lost.url },
      });
      expect(await errorOf(response)).toEqual([503, 'unavailable']);
    } finally {
      expect(await lost.stop()).toBe(0);
    }
  });
});

describe('playground keys', () => {
  it('are hidden from lists and audited once', async () => {
    const person = await world.owner();
    const { account, user, tokens } = person;
    const actor = as(user);
    const asked = { account, session: tokens.session, actor };
    const first = await world.ask(OpenPlayground, asked);
    const again = await world.ask(OpenPlayground, { ...asked, value: first.value ?? '' });
    expect(again).toMatchObject({ key: first.key, value: null });
    expect(Date.parse(again.expires_at) - Date.now()).toBeLessThanOrEqual(600_000);
    const list = await world.ask(ListKeys, { account });
    expect(list).toMatchObject({ keys: [], playground: [first.key] });
    expect(await world.code(RevokeKey, { account, key: first.key, actor })).toBe('key_not_found');
    const { entries } = await world.ask(ListAudit, { account, actor });
    expect(entries.filter(({ action }) => action === 'playground.open')).toMatchObject([
      { actor_name: person.email, object_name: 'Playground' },
    ]);
  });

  it('are prolonged for their own session only', async () => {
    const person = await world.owner();
    const { account, user, tokens } = person;
    const asked = { account, session: tokens.session, actor: as(user) };
    const first = await world.ask(OpenPlayground, asked);
    const other = await world.member(person, 'member');
    const stolen = { account, session: other.tokens.session, actor: as(other.user), value: first.value ?? '' };
    expect((await world.ask(OpenPlayground, stolen)).value).not.toBeNull();
    expect(await world.code(OpenPlayground, { ...asked, session: other.tokens.session })).toBe('not_permitted');
    await world.keys.sql(`UPDATE keys.key SET expires_at = now() - interval '2 minutes' WHERE id = $1`, [first.key]);
    expect(await world.code(KeepPlayground, { value: first.value ?? '' })).toBe('session_ended');
    const next = await world.ask(OpenPlayground, { ...asked, value: first.value ?? '' });
    expect(next.key).toBe(first.key);
    expect(next.value).not.toBe(first.value);
  });

  it('are prolonged while the person may use them', async () => {
    const person = await world.owner();
    const member = await world.member(person, 'member');
    const { account, user, tokens } = member;
    const opened = await world.ask(OpenPlayground, { account, session: tokens.session, actor: as(user) });
    const value = opened.value ?? '';
    await world.keys.sql(`UPDATE keys.key SET expires_at = now() + interval '30 seconds' WHERE id = $1`, [opened.key]);
    const { expires_at: end } = await world.ask(KeepPlayground, { value });
    expect(Date.parse(end) - Date.now()).toBeGreaterThan(500_000);
    await world.keys.sql(`UPDATE people.membership SET role = 'viewer' WHERE user_id = $1`, [user]);
    expect(await world.code(KeepPlayground, { value })).toBe('session_ended');
    await world.keys.sql(`UPDATE people.membership SET role = 'member' WHERE user_id = $1`, [user]);
    await world.ask(SignOut, { refresh_token: tokens.refresh_token, origin: {} });
    expect(await world.code(KeepPlayground, { value })).toBe('session_ended');
  });

  it('end no later than an idle session', async () => {
    const { account, user, tokens } = await world.owner();
    await world.keys.sql(`UPDATE sessions.session SET expires_at = now() + interval '30 seconds' WHERE id = $1`, [tokens.session]);
    const { expires_at: end } = await world.ask(OpenPlayground, { account, session: tokens.session, actor: as(user) });
    expect(Date.parse(end) - Date.now()).toBeLessThanOrEqual(30_000);
  });

  it('end when their session signs out', async () => {
    const { account, user, tokens } = await world.owner();
    const { value } = await world.ask(OpenPlayground, { account, session: tokens.session, actor: as(user) });
    const follower = await world.keys.gateway('sign-out');
    expect(follower.admits(value ?? '')).toBe(true);
    await world.ask(SignOut, { refresh_token: tokens.refresh_token, origin: {} });
    await until('no gateway takes it', () => !follower.admits(value ?? ''));
  });

  // Runs last, since it stops the processes to read their whole logs.
  it('are in no line of any log', async () => {
    const outputs = [await door.lastWords(), await world.keys.lastWords()];
    await gateway.stop();
    await until('the last line of the gateway', () => gateway.output.includes('"event":"lifecycle.stopped"'));
    for (const output of [...outputs, gateway.output]) {
      expect(output).toContain('"event":"lifecycle.ready"');
      expect(output).not.toMatch(/svc_dep_[0-9A-Za-z]{49}/);
    }
  });
});
