import { CreateKey, CreateSetupLink } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../gateway/raw-client.js';
import { until } from '../testing/until.js';
import { Browser, type PageAnswer } from './browser.js';
import { ConsoleInProcess } from './console-process.js';
import { codeOf, ConsoleScene, COOKIE } from './console-scene.js';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let scene: ConsoleScene;
let world: PeopleWorld;
let door: ConsoleInProcess;
let owner: Resident;
beforeAll(async () => {
  scene = await ConsoleScene.start();
  ({ world, door, owner } = scene);
});
afterAll(() => scene?.end());

const open = (): Browser => scene.open();
const signedIn = (person?: Pick<Resident, 'email'>): Promise<Browser> => scene.signedIn(person);

describe('the private API', () => {
  it.each([
    ['no token', undefined],
    ['an invented token', 'Bearer a.b.c'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
  ])('asks for a sign-in with %s', async (_, authorization) => {
    const paths = ['/api/me', '/api/sessions/list', '/api/members/list', '/api/invitations/list', '/api/audit/list'];
    for (const path of paths) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = path === '/api/me' ? await open().get(path, headers) : await open().post(path, {}, headers);
      expect([path, ...codeOf(answer)]).toEqual([path, 401, 'session_ended']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('refuses API keys in both headers, even valid ones', async () => {
    const { value } = await world.ask(CreateKey, { account: owner.account, name: 'a key', actor: as(owner.user) });
    const browser = await signedIn();
    for (const headers of [{ 'x-api-key': value }, { authorization: `Bearer ${value}` }]) {
      expect(codeOf(await browser.get('/api/me', headers))).toEqual([403, 'insufficient_scope']);
      expect(codeOf(await browser.post('/api/sign-in', {}, headers))).toEqual([403, 'insufficient_scope']);
    }
  });

  it('refuses requests of other sites despite the cookie', async () => {
    const browser = await signedIn();
    const evil = { origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' };
    for (const path of ['/api/refresh', '/api/sign-out', '/api/sign-out-everywhere', '/api/password', '/api/sign-in', '/api/oidc/start']) {
      expect([path, ...codeOf(await browser.post(path, {}, evil))]).toEqual([path, 403, 'not_permitted']);
      expect([path, ...codeOf(await browser.post(path, 'a=b', { 'content-type': 'text/plain' }))]).toEqual([
        path,
        400,
        'unsupported_media_type',
      ]);
    }
    expect((await browser.post('/api/refresh')).status).toBe(200);
  });

  it('sends its security headers with every answer', async () => {
    for (const answer of [
      await open().get('/api/me'),
      await open().get('/no.where'),
      await open().get('/livez'),
      await open().post('/api/sign-in', '{'),
    ]) {
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^req_/) as string,
      });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('x-powered-by')).toBeNull();
    }
  });

  it.each(['0.9', '2.0'])('refuses HTTP/%s and closes the connection', async (version) => {
    const client = await RawClient.open(Number(new URL(door.url).port));
    try {
      client.send(`GET /api/sign-in/ways HTTP/${version}\r\nHost: x\r\n\r\n`);
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 505 [^]*"code":"invalid_request"/);
    } finally {
      client.destroy();
    }
  });

  it('answers on its own routes only', async () => {
    for (const path of [
      '/.well-known/security.txt',
      '/api',
      '/api/',
      '/api/me/',
      '/API/me',
      '/api//me',
      '/v1/chat/completions',
      '/api/sign-in',
    ]) {
      expect([path, (await open().get(path)).status]).toEqual([path, 404]);
    }
    expect((await open().get('/api/%zz')).status).toBe(400);
  });
});

describe('the dashboard', () => {
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${door.url}${path}`, { headers });

  it('answers every page address with the page', async () => {
    const accounts = ['/acme', '/acme/', '/acme/deployments/3?tab=log', '/acme/a-screen-of-next-year/qwen2.5-7b'];
    for (const path of ['/', '/sign-in', '/join', '/deployments', ...accounts]) {
      const page = await ask(path);
      expect([path, page.status, page.headers.get('cache-control')]).toEqual([path, 200, 'no-cache']);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
      expect(await page.text()).toContain('<div id="root">');
    }
    const lost = await ask('/no.where', { accept: 'text/html', 'if-none-match': (await ask('/')).headers.get('etag') ?? '' });
    expect([lost.status, (await lost.text()).includes('<div id="root">')]).toEqual([404, true]);
  });

  it('gives programs no page for a document', async () => {
    const documents = ['/api/acme', '/mcp/acme', '/assets/acme.js', '/.well-known/acme', '/favicon.png', '//acme', '/acme%2fusage'];
    const inference = ['/acme/demo/v1/models', '/deployment-1/v1/models', '/v1/models', '/openapi.json', '/metrics', '/healthz'];
    for (const path of [...documents, ...inference]) {
      const { status, headers } = await ask(path, { accept: '*/*' });
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, expect.stringContaining('application/json')]);
    }
  });

  it('is sent as the build compressed it', async () => {
    const [, script = ''] = /src="(\/assets\/[^"]+)"/.exec(await (await ask('/')).text()) ?? [];
    for (const encoding of ['br', 'gzip', 'identity']) {
      const file = await ask(script, { 'accept-encoding': encoding });
      const { headers } = file;
      expect([file.status, headers.get('content-encoding')]).toEqual([200, encoding === 'identity' ? null : encoding]);
      expect(headers.get('content-type')).toMatch(/javascript; charset=utf-8$/);
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      // Without a `cache-control` of its own, fetch would add `no-cache`, which asks for the whole file.
      const known = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
      const again = await ask(script, { 'accept-encoding': encoding, ...known });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('lists no folder and serves no other file', async () => {
    for (const path of ['/assets', '/assets/', '/assets/..%2f..%2fpackage.json', '/index.html.br', '/assets/%2e%2e/index.html']) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('one address', () => {
  it('waits after a few attempts, alone', async () => {
    const contact = 'https://example.com/security';
    const strict = await ConsoleInProcess.start(world.keys.bus, { SIGN_INS_PER_MIN: '6', CONSOLE_PROXIES: '1', SECURITY_CONTACT: contact });
    try {
      const contactFile = await fetch(`${strict.url}/.well-known/security.txt`);
      expect([contactFile.status, await contactFile.text()]).toEqual([200, expect.stringContaining(`Contact: ${contact}\r\nExpires: `)]);
      const from = (address: string): Browser => new Browser(strict.url, { 'x-forwarded-for': `203.0.113.1, ${address}` });
      const tryOnce = async (address: string): Promise<PageAnswer> =>
        from(address).post('/api/sign-in', { email: world.email(), password: 'wrong' });
      const statuses = await Promise.all(Array.from({ length: 6 }, () => tryOnce('192.0.2.1')));
      expect(statuses.filter(({ status }) => status === 429)).toHaveLength(4);
      expect(statuses.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await tryOnce('192.0.2.2')).status).toBe(401);
    } finally {
      await strict.stop();
    }
  });
});

describe('the log', () => {
  it('has one line per request without any secret', async () => {
    const account = await world.keys.account();
    const { token: link } = await world.keys.ask(CreateSetupLink, { account, actor: OPS });
    const browser = new Browser(door.url, { 'x-forwarded-for': '192.0.2.99' });
    await browser.post('/api/sign-in', { email: owner.email, password: 'a canary that sings' });
    await browser.post('/api/sign-in', { email: owner.email, password: PASSWORD });
    const secrets = ['a canary that sings', PASSWORD, link, browser.accessToken ?? '', browser.cookies.get(COOKIE) ?? ''];
    const { headers } = await browser.get('/api/me?canary=in-a-query');
    await browser.post('/api/invitations/find', { token: link });
    await browser.post('/api/refresh');
    const id = headers.get('x-request-id') ?? 'none';
    const line = await until('the request is logged', () => door.output.split('\n').find((text) => text.includes(id)));
    expect(JSON.parse(line)).toMatchObject({
      event: 'http.request',
      method: 'GET',
      route: '/api/me',
      status: 200,
      user_id: owner.user,
      account_id: owner.account,
      address: '192.0.2.99',
    });
    const output = (await door.lastWords()) + (await world.keys.lastWords());
    for (const secret of [...secrets, 'in-a-query']) expect(output).not.toContain(secret);
  });
});

describe('without keys-service', () => {
  it('answers unavailable and signs no person in', async () => {
    const lonely = await PeopleWorld.start();
    const console_ = await ConsoleInProcess.start(lonely.keys.bus);
    try {
      const browser = new Browser(console_.url);
      await lonely.keys.stopReplicas();
      const answer = await browser.post('/api/sign-in', { email: 'a@example.com', password: PASSWORD });
      expect(codeOf(answer)).toEqual([503, 'unavailable']);
      expect(answer.headers.get('retry-after')).toBe('1');
      browser.accessToken = 'eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.AA';
      expect((await browser.get('/api/me')).status).toBe(503);
    } finally {
      await console_.end();
      await lonely.end();
    }
  });
});
